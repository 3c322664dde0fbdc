# GNU g++ for AArch64 Linux, freestanding: no library and no system header beneath a role.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

if(NOT CMAKE_CXX_COMPILER)
  find_program(CMAKE_CXX_COMPILER NAMES aarch64-linux-gnu-g++ g++ REQUIRED)
endif()

# Atomics out of line would come from libgcc.
set(ALPHA_COMPILE_OPTIONS -mno-outline-atomics)
# One segment for code and constants, one for data: pages are up to 64 KiB here.
set(ALPHA_LINK_OPTIONS -no-pie -Wl,-z,noseparate-code)
# At -O2 g++ vectorises hardly a loop. With these a learner's loops run as fast as at -O3, at a third of the
# compile time and code.
set(ALPHA_LOOP_OPTIONS -fvect-cost-model=dynamic -fpeel-loops)
