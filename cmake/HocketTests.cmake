# Registers tests so that many share a process.
include_guard(GLOBAL)
include(GoogleTest)

# hocket_add_tests(<target> [GROUPS <n>] [TIMEOUT <seconds>] [PREFIX <text>] [ENVIRONMENT <name=value>...] [LONG <test>...])
#
# Registers the tests of a GoogleTest program twice:
#  - each by its own name, to be run alone: with the label `alone`;
#  - all together, in <n> groups that are a process each: with the label `together`. To start a process for every test
#    takes longer than most tests do. Those that LONG names, as --gtest_filter does, are a group of their own with the
#    label `long`, too; if it is `*`, these are all, and tools/test does not build the program.
# The test presets run the groups; `ctest -R NAME` in the build tree runs a test alone. TIMEOUT is that of a group, else ten
# minutes, and half an hour in builds that are slow or run all tests.
function(hocket_add_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 option "" "GROUPS;TIMEOUT;PREFIX" "ENVIRONMENT;LONG")
  if(option_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hocket_add_tests(${target}): unknown argument ${option_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT option_GROUPS)
    set(option_GROUPS 1)
  endif()
  if(NOT option_TIMEOUT)
    set(option_TIMEOUT 600)
    if(HOCKET_ALL_TESTS OR CMAKE_BUILD_TYPE STREQUAL "Debug")  # perhaps with sanitizers, beside other work
      set(option_TIMEOUT 1800)
    endif()
  endif()
  set(environment "")
  if(option_ENVIRONMENT)
    set(environment ENVIRONMENT "${option_ENVIRONMENT}")
  endif()
  gtest_discover_tests(${target}
    TEST_PREFIX "${option_PREFIX}"
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS alone TIMEOUT 600 ${environment})
  if(option_LONG STREQUAL "*")
    hocket_takes_long(${target})
  else()
    hocket_add_short_groups(${target})
  endif()
  if(option_LONG)
    hocket_add_group("${target}/long" "together;long" only)
  endif()
endfunction()

# These two are parts of hocket_add_tests(), and read its options.
function(hocket_add_short_groups target)
  math(EXPR last "${option_GROUPS} - 1")
  foreach(group RANGE ${last})
    set(name "${target}")
    if(option_GROUPS GREATER 1)
      string(APPEND name "/group_${group}")
    endif()
    hocket_add_group("${name}" together "${group}")
  endforeach()
endfunction()

function(hocket_add_group name labels group)
  add_test(NAME "${name}"
    COMMAND "${hocket_run_group}" ${group} ${option_GROUPS} "$<TARGET_FILE:${target}>" ${option_LONG})
  set_tests_properties("${name}" PROPERTIES
    LABELS "${labels}"
    COST 100  # before what is short, so that no processor waits for it at the end
    TIMEOUT ${option_TIMEOUT}
    ENVIRONMENT "${option_ENVIRONMENT}")
endfunction()
set(hocket_run_group "${PROJECT_SOURCE_DIR}/tests/support/run_group")

# hocket_takes_long(<target>...)
#
# These programs are built by tools/test --long alone, not by tools/test. They are in the target `all`.
function(hocket_takes_long)
  set_property(GLOBAL APPEND PROPERTY hocket_long_targets ${ARGV})
endfunction()

# Makes the target hocket_short_tests, on which depends what is built in these folders, but for what takes long.
function(hocket_make_short_tests)
  set(folders ${ARGV})
  set(short "")
  get_property(long GLOBAL PROPERTY hocket_long_targets)
  while(folders)
    list(POP_FRONT folders folder)
    get_property(inner DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    list(APPEND folders ${inner})
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      get_target_property(is_excluded ${target} EXCLUDE_FROM_ALL)
      if(NOT is_excluded AND NOT target IN_LIST long AND NOT type MATCHES "UTILITY|INTERFACE")
        list(APPEND short ${target})
      endif()
    endforeach()
  endwhile()
  add_custom_target(hocket_short_tests DEPENDS ${short})
endfunction()

# hocket_leave_out(<what> <package>)
#
# Notes that tests cannot be built here, and Debian's package without which they cannot; tools/test says so at its end.
function(hocket_leave_out what package)
  message(STATUS "Hocket: ${what} is not tested, since ${package} was not found")
  set_property(GLOBAL APPEND PROPERTY hocket_left_out "${what} (${package})")
endfunction()

# Writes what was left out, a line each, to the file left-out in the build tree.
function(hocket_write_what_is_left_out)
  get_property(left_out GLOBAL PROPERTY hocket_left_out)
  list(JOIN left_out "\n" text)
  if(text)
    string(APPEND text "\n")
  endif()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/left-out" CONTENT "${text}" @ONLY)
endfunction()
