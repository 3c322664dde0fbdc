# The CMake package of alpha-build: the runtime as a library, and executables from generated sources.
#
#   find_package(AlphaBuild REQUIRED)
#   alpha_add_learner(learner-x86_64 learner-x86_64.cpp)
#   alpha_add_class(leaf-x86_64 leaf-x86_64.cpp LEARNER learner-x86_64)
#
# In a user's project, whatever its compilers:
#
#   find_package(AlphaBuild REQUIRED)
#   alpha_add_roles(digits SYSTEM digits.py INSTALL digits/roles)
#
# One CMake tree holds one toolchain; choose it with CMAKE_TOOLCHAIN_FILE from AlphaBuild_RUNTIME/toolchains.
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/AlphaBuildRoles.cmake")

# Installed, the runtime's sources lie inside the Python package; in a checkout, at its top.
get_filename_component(AlphaBuild_RUNTIME "${CMAKE_CURRENT_LIST_DIR}/../runtime" ABSOLUTE)
if(NOT IS_DIRECTORY "${AlphaBuild_RUNTIME}/cpp")
  get_filename_component(AlphaBuild_RUNTIME "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
endif()

# A role is a static program without a library beneath it, with every floating-point operation as written.
set(ALPHA_FREESTANDING_OPTIONS
  -O2 -ffreestanding -fno-pie -fno-exceptions -fno-rtti -fno-stack-protector -fno-threadsafe-statics
  -fno-unwind-tables -fno-asynchronous-unwind-tables -fno-math-errno -ffp-contract=off
  # A program's scratch holds values of one type after another in the same place.
  -fno-strict-aliasing
  -ffunction-sections -fdata-sections ${ALPHA_COMPILE_OPTIONS})
set(ALPHA_FREESTANDING_LINK_OPTIONS
  -nostdlib -static -Wl,--build-id=none -Wl,--gc-sections -Wl,-z,norelro -s ${ALPHA_LINK_OPTIONS})

# alpha_freestanding(TARGET FOLDER): compile options, and file names in messages counted from FOLDER.
function(alpha_freestanding target folder)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF CXX_SCAN_FOR_MODULES OFF
    POSITION_INDEPENDENT_CODE OFF)
  target_include_directories(${target} PRIVATE "${AlphaBuild_RUNTIME}/cpp")
  target_compile_options(${target} PRIVATE ${ALPHA_FREESTANDING_OPTIONS}
    "-ffile-prefix-map=${AlphaBuild_RUNTIME}/cpp/=" "-ffile-prefix-map=${folder}/="
    "-ffile-prefix-map=${CMAKE_BINARY_DIR}/=")
endfunction()

# alpha_add_library(NAME SOURCE...): runtime sources as a static library.
function(alpha_add_library name)
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARGN})
  alpha_freestanding(${name} "${AlphaBuild_RUNTIME}")
endfunction()

# The runtime, once for a tree: what every role links, and what only learners call.
function(alpha_add_runtime)
  if(TARGET alpha_runtime)
    return()
  endif()
  # A folder of libraries that the same toolchain made from the same sources.
  if(AlphaBuild_LIBRARIES)
    foreach(name alpha_runtime alpha_kernels)
      add_library(${name} STATIC IMPORTED GLOBAL)
      set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${AlphaBuild_LIBRARIES}/lib${name}.a")
    endforeach()
    return()
  endif()
  set(cpp "${AlphaBuild_RUNTIME}/cpp")
  # What touches every byte that is sent is compiled for speed; the rest waits for network and disk, and is small.
  set(fast "${cpp}/base/memory.cpp" "${cpp}/frame/sha256.cpp")
  file(GLOB small CONFIGURE_DEPENDS "${cpp}/base/*.cpp" "${cpp}/frame/*.cpp" "${cpp}/socket/*.cpp"
    "${cpp}/state/*.cpp" "${cpp}/role/*.cpp")
  list(REMOVE_ITEM small ${fast})
  set(smallest -Oz)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
    set(smallest -Os)
  endif()
  set_source_files_properties(${small} PROPERTIES COMPILE_OPTIONS "${smallest}")
  # One source for host and device; here it is C++.  Its loops are vectorised; beyond that memory is the bound, and
  # peeled loops are larger only.
  set(combine ${ALPHA_LOOP_OPTIONS} -fno-unroll-loops)
  list(REMOVE_ITEM combine -fpeel-loops)
  set_source_files_properties("${cpp}/combine.cu" PROPERTIES LANGUAGE CXX
    COMPILE_OPTIONS "-xc++;${combine}")
  alpha_add_library(alpha_runtime ${fast} ${small} "${cpp}/combine.cu")

  file(GLOB kernels CONFIGURE_DEPENDS "${cpp}/learner/*.cpp")
  alpha_add_library(alpha_kernels ${kernels})
  target_compile_options(alpha_kernels PRIVATE ${ALPHA_LOOP_OPTIONS} ${ALPHA_KERNEL_OPTIONS})
endfunction()

# alpha_add_learner(NAME SOURCE): a learner's programs as a library, which every class of a target links.
function(alpha_add_learner name source)
  alpha_add_runtime()
  add_library(${name} STATIC EXCLUDE_FROM_ALL "${source}")
  alpha_freestanding(${name} "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE ${ALPHA_LOOP_OPTIONS} ${ALPHA_KERNEL_OPTIONS})
  target_link_libraries(${name} PUBLIC alpha_kernels)
endfunction()

# alpha_add_class(NAME SOURCE [LEARNER library]): the executable of one class, not yet stamped.
function(alpha_add_class name source)
  cmake_parse_arguments(PARSE_ARGV 2 class "" "LEARNER" "")
  alpha_add_runtime()
  add_executable(${name} "${source}")
  alpha_freestanding(${name} "${CMAKE_CURRENT_SOURCE_DIR}")
  # A parameter that the user's source does not read is his affair; the time of day would make each build another.
  target_compile_options(${name} PRIVATE -Werror=date-time -Wall -Wno-unused-parameter -Wno-unused-function)
  target_link_options(${name} PRIVATE ${ALPHA_FREESTANDING_LINK_OPTIONS} -Wl,-e,_start -Wl,-u,_start)
  if(class_LEARNER)
    target_link_libraries(${name} PRIVATE ${class_LEARNER})
  endif()
  target_link_libraries(${name} PRIVATE alpha_runtime)
endfunction()

# alpha_add_role(NAME CLASS STAMP NOTES): the executable of one role of a class.  The files STAMP and NOTES are linked
# in where `alpha-build roles` would append them.
function(alpha_add_role name class stamp notes)
  get_filename_component(stamp "${stamp}" ABSOLUTE)
  get_filename_component(notes "${notes}" ABSOLUTE)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/stamped.cpp.in" "${source}" @ONLY)
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${stamp};${notes}")
  add_executable(${name} "${source}" $<TARGET_OBJECTS:${class}>)
  alpha_freestanding(${name} "${CMAKE_CURRENT_SOURCE_DIR}")
  get_target_property(options ${class} LINK_OPTIONS)
  get_target_property(libraries ${class} LINK_LIBRARIES)
  target_link_options(${name} PRIVATE ${options} -Wl,-u,alpha_stamp
    "-Wl,-T,${CMAKE_CURRENT_FUNCTION_LIST_DIR}/stamped.ld")
  target_link_libraries(${name} PRIVATE ${libraries})
  # Made on the way, not an executable that starts.
  set_target_properties(${class} PROPERTIES EXCLUDE_FROM_ALL ON RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
