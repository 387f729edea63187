# Registers tests so that many share a process.
include_guard(GLOBAL)
include(GoogleTest)

# hocket_add_tests(<target> [GROUPS <n>] [TIMEOUT <seconds>] [PREFIX <text>] [ENVIRONMENT <name=value>...])
#
# Registers the tests of a GoogleTest program twice:
#  - each by its own name, to be run alone: with the label `alone`;
#  - all together, in <n> groups that are a process each: with the label `together`. To start a process for every test
#    takes longer than most tests do.
# The test presets run the groups; `ctest -R NAME` in the build tree runs a test alone. TIMEOUT is that of a group, else ten
# minutes, and half an hour in builds that are slow or run all tests.
function(hocket_add_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 option "" "GROUPS;TIMEOUT;PREFIX" "ENVIRONMENT")
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
  math(EXPR last "${option_GROUPS} - 1")
  foreach(group RANGE ${last})
    set(name "${target}")
    if(option_GROUPS GREATER 1)
      string(APPEND name "/group_${group}")
    endif()
    add_test(NAME "${name}" COMMAND ${target})
    set_tests_properties("${name}" PROPERTIES
      LABELS together
      COST 100  # before what is short, so that no processor waits for it at the end
      TIMEOUT ${option_TIMEOUT}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${option_GROUPS};GTEST_SHARD_INDEX=${group};${option_ENVIRONMENT}")
  endforeach()
endfunction()
