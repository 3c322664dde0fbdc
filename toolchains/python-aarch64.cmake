# GNU g++ for AArch64 Linux with its C library: for a wheel of alpha-build itself, not for roles.
#
#   tools/cross_wheel.sh sets ALPHA_PYTHON_ROOT, a folder with that machine's Python headers in usr/include.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
find_program(CMAKE_CXX_COMPILER NAMES aarch64-linux-gnu-g++ REQUIRED)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ALPHA_PYTHON_ROOT)

file(GLOB Python_INCLUDE_DIR "${ALPHA_PYTHON_ROOT}/usr/include/python3*")
# Debian's pyconfig.h includes the one of the instruction set from here.
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES "${ALPHA_PYTHON_ROOT}/usr/include")
