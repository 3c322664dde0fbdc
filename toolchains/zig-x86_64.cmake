# Zig's Clang (the `ziglang` package) for x86-64 Linux, freestanding: cross-compiles with no system package.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(ALPHA_ZIG_TARGET x86_64-linux-none)
include("${CMAKE_CURRENT_LIST_DIR}/zig.cmake")
