# alpha_add_roles: the role executables of a system as a target of the user's own CMake project.
include_guard(GLOBAL)

# alpha_add_roles(NAME [SYSTEM file.py[:name] | package.module:name] [INSTALL folder] [TOOLCHAIN gnu|zig])
#
# Target NAME makes the executables and manifest.json in the folder NAME of the binary directory, again whenever the
# system file, a module or a data file that it reads changes.  Without SYSTEM, pyproject.toml beside CMakeLists.txt
# names it: [tool.alpha-build] system = "...".  With INSTALL they are installed in that folder.  Each instruction set
# has its own compiler and its own CMake tree below NAME/build, whatever compilers this project uses, if any.
function(alpha_add_roles name)
  cmake_parse_arguments(PARSE_ARGV 1 roles "" "SYSTEM;INSTALL;TOOLCHAIN" "")
  if(roles_UNPARSED_ARGUMENTS OR roles_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "alpha_add_roles(${name}): what is '${roles_UNPARSED_ARGUMENTS}${roles_KEYWORDS_MISSING_VALUES}'? "
      "Write alpha_add_roles(name SYSTEM file.py[:name] [INSTALL folder] [TOOLCHAIN gnu|zig])")
  endif()
  alpha_find_python()

  set(system "${roles_SYSTEM}")
  if(system MATCHES "^(.*[.]py)(:[A-Za-z0-9_]+)?$")
    set(object "${CMAKE_MATCH_2}")
    get_filename_component(file "${CMAKE_MATCH_1}" ABSOLUTE)
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "alpha_add_roles(${name}): there is no system file ${file}")
    endif()
    set(system "${file}${object}")
  endif()
  if(roles_TOOLCHAIN)
    set(toolchain --toolchain "${roles_TOOLCHAIN}")
  endif()

  set(out "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  add_custom_command(OUTPUT "${out}/manifest.json"
    # -B: nothing is written beside the sources; -P: nothing beside them hides an installed package.
    COMMAND "${AlphaBuild_PYTHON}" -B -P -m alpha_build roles ${system}
      --out "${out}" --depfile "${out}.d" ${toolchain}
    DEPENDS ${file}
    DEPFILE "${out}.d"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "Making the executables of ${name}"
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${out}/manifest.json")
  if(roles_INSTALL)
    install(DIRECTORY "${out}/" DESTINATION "${roles_INSTALL}" USE_SOURCE_PERMISSIONS
      FILES_MATCHING PATTERN "*.role-*" PATTERN "manifest.json" PATTERN "*.cdx.json"
      PATTERN "build" EXCLUDE PATTERN "src" EXCLUDE PATTERN "state" EXCLUDE PATTERN "logs" EXCLUDE)
  endif()
endfunction()

# alpha_find_python(): sets AlphaBuild_PYTHON to the interpreter that this package is installed for.
function(alpha_find_python)
  if(AlphaBuild_PYTHON)
    return()
  endif()
  set(candidates ${Python_EXECUTABLE} ${Python3_EXECUTABLE})
  # <prefix>/lib/python3.X/site-packages/alpha_build/cmake
  get_filename_component(prefix "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../../.." ABSOLUTE)
  list(APPEND candidates "${prefix}/bin/python3")
  if(DEFINED ENV{VIRTUAL_ENV})
    list(APPEND candidates "$ENV{VIRTUAL_ENV}/bin/python3")
  endif()
  find_program(AlphaBuild_PYTHON_FALLBACK NAMES python3 python)
  mark_as_advanced(AlphaBuild_PYTHON_FALLBACK)
  list(APPEND candidates ${AlphaBuild_PYTHON_FALLBACK})
  foreach(candidate IN LISTS candidates)
    if(EXISTS "${candidate}")
      execute_process(COMMAND "${candidate}" -P -m alpha_build --cmake-dir
        OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
      get_filename_component(here "${CMAKE_CURRENT_FUNCTION_LIST_DIR}" REALPATH)
      if(NOT failed AND folder STREQUAL here)
        set(AlphaBuild_PYTHON "${candidate}" CACHE FILEPATH "Python that alpha-build is installed for")
        return()
      endif()
    endif()
  endforeach()
  message(FATAL_ERROR "no Python here runs the alpha-build of ${CMAKE_CURRENT_FUNCTION_LIST_DIR}: "
    "configure with -DPython_EXECUTABLE=<the python that it is installed for>")
endfunction()
