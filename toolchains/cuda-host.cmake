# nvcc with this machine's C++ compiler, every rounding as written on both sides: for cpp/combine.cu, not for roles.
#
#   nvcc is looked for on PATH; -DCMAKE_CUDA_COMPILER gives another, as the PyPI package's, which is on no PATH
#   (`alpha-build doctor` says where it is).
if(NOT CMAKE_CUDA_COMPILER)
  find_program(CMAKE_CUDA_COMPILER NAMES nvcc REQUIRED)
endif()
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_CUDA_COMPILER)

# Neither the device's compiler nor the host's may fuse a product and a sum; constexpr functions are the device's too.
set(CMAKE_CUDA_FLAGS_INIT "-fmad=false --expt-relaxed-constexpr -Xcompiler -ffp-contract=off")
set(CMAKE_CUDA_ARCHITECTURES 80 90)
