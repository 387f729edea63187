# Lets the project be configured while some of its parts are not written yet: a target without sources
# gets an empty one. To be deleted, with the line that includes it, when every target has its sources.
file(WRITE "${PROJECT_BINARY_DIR}/no_library_yet.cpp" "")
file(WRITE "${PROJECT_BINARY_DIR}/no_program_yet.cpp" "int main() {}\n")
set(hocket_no_program_yet "${PROJECT_BINARY_DIR}/no_program_yet.cpp" CACHE INTERNAL "")

if(NOT EXISTS "${PROJECT_SOURCE_DIR}/interpose/gtest_main.cpp")
  set(hocket_gtest_main_sources "")
endif()
foreach(sources IN ITEMS hocket_sources hocket_gtest_sources hocket_gtest_main_sources)
  if(NOT ${sources})
    message(NOTICE "${sources}: none yet")
    set(${sources} "${PROJECT_BINARY_DIR}/no_library_yet.cpp")
  endif()
endforeach()

function(add_executable name)
  if(ARGC EQUAL 1)
    message(NOTICE "${name}: no sources yet")
    set(ARGN "${hocket_no_program_yet}")
  endif()
  _add_executable(${name} ${ARGN})
endfunction()
