# GNU g++ for x86-64 Linux, freestanding: no library and no system header beneath a role.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

if(NOT CMAKE_CXX_COMPILER)
  find_program(CMAKE_CXX_COMPILER NAMES x86_64-linux-gnu-g++ g++ REQUIRED)
endif()

set(ALPHA_COMPILE_OPTIONS -fcf-protection=none)
# One segment for code and constants, one for data: two pages less in every artifact.
set(ALPHA_LINK_OPTIONS -no-pie -Wl,-z,noseparate-code)
# At -O2 g++ vectorises hardly a loop. With these a learner's loops run as fast as at -O3, at a third of the
# compile time and code.
set(ALPHA_LOOP_OPTIONS -fvect-cost-model=dynamic -fpeel-loops)
# Learners may use the units of every x86-64 processor since 2013 (checked at start).
set(ALPHA_KERNEL_OPTIONS -march=x86-64-v3)
