# What the two Zig toolchains share: one program is compiler, archiver and linker.
if(NOT ALPHA_ZIG)
  find_program(ALPHA_ZIG NAMES zig REQUIRED)
endif()
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ALPHA_ZIG)

set(CMAKE_CXX_COMPILER "${ALPHA_ZIG}" c++ -target ${ALPHA_ZIG_TARGET})
set(CMAKE_CXX_COMPILER_AR "${ALPHA_ZIG}")
set(CMAKE_CXX_ARCHIVE_CREATE "\"${ALPHA_ZIG}\" ar qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "\"${ALPHA_ZIG}\" ar qD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "\"${ALPHA_ZIG}\" ranlib <TARGET>")

# Zig instruments undefined behaviour and calls library functions unless told not to.
set(ALPHA_COMPILE_OPTIONS -fno-sanitize=all -fno-builtin)
set(ALPHA_LINK_OPTIONS "")
set(ALPHA_LOOP_OPTIONS "")
