# hocket-debug-info, the program that reads debug information for reports: lines, functions, variables. Tests start it
# where they are built, so it is built with them. CMake knows no package of elfutils.
find_path(HOCKET_LIBDW_INCLUDE_DIR NAMES elfutils/libdwfl.h)
find_library(HOCKET_LIBDW NAMES dw)
mark_as_advanced(HOCKET_LIBDW_INCLUDE_DIR HOCKET_LIBDW)

# hocket_link_elfutils(TARGET LIBRARY): links a library of elfutils, and what it needs if it is an archive.
function(hocket_link_elfutils target library)
  target_link_libraries(${target} PRIVATE "${library}")
  if(NOT library MATCHES "\\.a$")
    return()
  endif()
  cmake_path(GET library PARENT_PATH folder)
  foreach(needed IN ITEMS elf lzma bz2 zstd z)
    find_library(HOCKET_LIBRARY_${needed} NAMES ${needed} HINTS "${folder}")
    mark_as_advanced(HOCKET_LIBRARY_${needed})
    if(HOCKET_LIBRARY_${needed})
      target_link_libraries(${target} PRIVATE "${HOCKET_LIBRARY_${needed}}")
    endif()
  endforeach()
endfunction()

if(NOT HOCKET_LIBDW_INCLUDE_DIR OR NOT HOCKET_LIBDW)
  if(PROJECT_IS_TOP_LEVEL)
    message(FATAL_ERROR "Hocket needs libdw, to read debug information for its reports: install it with its headers, \
on Debian the package libdw-dev")
  endif()
  message(STATUS "Hocket: libdw was not found (on Debian libdw-dev), so reports lack the lines of calls that come through \
the standard library, and hocket_instrument() is an error")
  return()
endif()

file(GLOB hocket_debug_info_sources CONFIGURE_DEPENDS tools/debug_info/*.cpp)
add_executable(hocket_debug_info ${hocket_debug_info_sources} runtime/platform/symbols/short_names.cpp
  runtime/platform/symbols/user_code.cpp)
set_target_properties(hocket_debug_info PROPERTIES
  OUTPUT_NAME hocket-debug-info
  RUNTIME_OUTPUT_DIRECTORY "$<1:${PROJECT_BINARY_DIR}/tools>")  # in that folder for all configurations
hocket_target(hocket_debug_info)
target_include_directories(hocket_debug_info PRIVATE "${PROJECT_SOURCE_DIR}")
target_include_directories(hocket_debug_info SYSTEM PRIVATE "${HOCKET_LIBDW_INCLUDE_DIR}")
hocket_link_elfutils(hocket_debug_info "${HOCKET_LIBDW}")
add_dependencies(hocket hocket_debug_info)
