# Zig's Clang (the `ziglang` package) for x86-64 Linux, freestanding: cross-compiles with no system package.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(ALPHA_ZIG_TARGET x86_64-linux-none)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")

# Learners may use the units of every x86-64 processor since 2013 (checked at start).
set(ALPHA_KERNEL_OPTIONS -mcpu=x86_64_v3)

# LLVM 22 may spill 32-byte registers with aligned stores in a function whose stack it forgets to align: keep the
# stack of every function at 32 bytes (start_x86_64.h begins with one of 64).
list(APPEND ALPHA_COMPILE_OPTIONS -mstack-alignment=32)
