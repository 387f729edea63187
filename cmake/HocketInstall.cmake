# What is installed: headers, libraries, the package for CMake, hocket.pc, programs and pages.
include(CMakePackageConfigHelpers)
set(hocket_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/hocket")

# The headers in interpose/include/hocket and what they include, in the folders in which they are here; and for each of
# the former one that includes it, by the name that users know.
function(hocket_install_headers)
  file(GLOB_RECURSE entries CONFIGURE_DEPENDS "${hocket_include_dir}/hocket/*")
  set(headers ${entries})
  set(unread ${entries})
  while(unread)
    list(POP_FRONT unread header)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
    cmake_path(GET header PARENT_PATH folder)
    file(STRINGS "${header}" lines REGEX "^# *include \"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^[^\"]*\"([^\"]+)\".*" "\\1" included "${line}")
      cmake_path(ABSOLUTE_PATH included BASE_DIRECTORY "${folder}" NORMALIZE)
      if(NOT included IN_LIST headers)
        list(APPEND headers "${included}")
        list(APPEND unread "${included}")
      endif()
    endforeach()
  endwhile()
  set(destination "${CMAKE_INSTALL_INCLUDEDIR}/hocket")
  foreach(header IN LISTS headers)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    cmake_path(GET header PARENT_PATH folder)
    install(FILES "${PROJECT_SOURCE_DIR}/${header}" DESTINATION "${destination}/${folder}")
  endforeach()
  foreach(header IN LISTS entries)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${hocket_include_dir}/hocket" OUTPUT_VARIABLE name)
    cmake_path(GET name PARENT_PATH folder)
    string(REGEX REPLACE "[^/]+" ".." up "${folder}")
    set(target "${up}/interpose/include/hocket/${name}")
    string(REGEX REPLACE "^/" "" target "${target}")
    file(CONFIGURE OUTPUT "installed_headers/${name}" CONTENT "#include \"${target}\"\n" @ONLY)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/installed_headers/${name}" DESTINATION "${destination}/${folder}")
  endforeach()
endfunction()
hocket_install_headers()
install(FILES "${PROJECT_BINARY_DIR}/include/hocket/version.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/hocket")

# What a program links beside Hocket's own libraries, for builds without CMake.
set(hocket_link_libraries -lboost_context)
get_target_property(hocket_type_of_spdlog spdlog::spdlog TYPE)
if(NOT hocket_type_of_spdlog STREQUAL "INTERFACE_LIBRARY")
  list(APPEND hocket_link_libraries -lspdlog)
endif()
get_target_property(hocket_spdlog_links spdlog::spdlog INTERFACE_LINK_LIBRARIES)
if("fmt::fmt" IN_LIST hocket_spdlog_links)
  list(APPEND hocket_link_libraries -lfmt)
endif()
list(APPEND hocket_link_libraries -latomic -ldl)
list(JOIN hocket_link_libraries " " hocket_link_libraries)

# For pkg-config: as hocket::hocket and hocket::gtest_main.
function(hocket_install_pkg_config name description requires libraries)
  set(folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  set(root "/")
  cmake_path(SET from NORMALIZE "/${folder}")
  cmake_path(RELATIVE_PATH root BASE_DIRECTORY "${from}" OUTPUT_VARIABLE prefix_from_here)
  configure_file(cmake/hocket.pc.in "${name}.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" DESTINATION "${folder}")
endfunction()
hocket_install_pkg_config(hocket "${PROJECT_DESCRIPTION}" "" "-lhocket ${hocket_link_libraries}")
if(TARGET hocket_gtest)
  hocket_flags(flags "link with GoogleTest" "")
  list(JOIN flags " " flags)
  hocket_install_pkg_config(hocket_gtest_main "Hocket in GoogleTest, with a main function" "hocket gtest"
    "${flags} -lhocket_gtest_main -lhocket_gtest")
endif()

# Two export sets: hocket::hocket is usable where GoogleTest is not installed.
install(TARGETS hocket hocket_archive hocket_headers hocket_new_delete hocket_catch2 hocket_doctest EXPORT hocketTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(hocket_has_unmodified)
  install(FILES "${hocket_unmodified_file}" "${hocket_unmodified_options}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(FILES "$<TARGET_OBJECTS:hocket_whole_program_object>" DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    RENAME hocket_whole_program.o)
  install(TARGETS hocket_unmodified hocket_whole_program hocket_check_hooks EXPORT hocketTargets
    RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/hocket")
  configure_file(cmake/HocketFlags.txt installed_flags/HocketFlags.txt @ONLY)
  install(FILES cmake/HocketInstrument.cmake cmake/HocketInstrumented.hpp cmake/HocketTimeStamps.h
    cmake/HocketBuiltins.h cmake/HocketFlags.cmake
    "${PROJECT_BINARY_DIR}/installed_flags/HocketFlags.txt" DESTINATION "${hocket_package_dir}")
  install(DIRECTORY cmake/libc cmake/libstdcxx DESTINATION "${hocket_package_dir}")
endif()
if(TARGET hocket_debug_info)
  install(TARGETS hocket_debug_info RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/hocket")
endif()
install(EXPORT hocketTargets NAMESPACE hocket:: DESTINATION "${hocket_package_dir}")
if(TARGET hocket_gtest)
  install(TARGETS hocket_gtest hocket_gtest_main EXPORT hocketGTestTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT hocketGTestTargets NAMESPACE hocket:: DESTINATION "${hocket_package_dir}")
endif()

configure_package_config_file(cmake/hocketConfig.cmake.in "${PROJECT_BINARY_DIR}/hocketConfig.cmake"
  INSTALL_DESTINATION "${hocket_package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/hocketConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  cmake/HocketPlatform.cmake
  cmake/programs.cpp
  "${PROJECT_BINARY_DIR}/hocketConfig.cmake"
  "${PROJECT_BINARY_DIR}/hocketConfigVersion.cmake"
  DESTINATION "${hocket_package_dir}")

install(FILES tools/gdb/hocket.py tools/gdb/hocket_process.py
  DESTINATION "${CMAKE_INSTALL_DATADIR}/hocket/gdb")
install(FILES tools/lldb/hocket.py DESTINATION "${CMAKE_INSTALL_DATADIR}/hocket/lldb")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# The documents in the shape that they have here, so that links between them lead somewhere, with the samples. Of the
# rest of the tree what they link to comes along: tests that show a bug, headers.
install(FILES README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation)
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation)
install(DIRECTORY samples DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cpp" PATTERN "package_example/*" PATTERN "build" EXCLUDE)
file(GLOB hocket_documents CONFIGURE_DEPENDS docs/*.md docs/unmodified/*.md)
foreach(document IN LISTS hocket_documents)
  file(READ "${document}" text)
  string(REGEX MATCHALL "\\((\\.\\./)+(tests|interpose|scheduler|runtime)/[A-Za-z0-9_/.]+" links "${text}")
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^\\((\\.\\./)+" "" linked "${link}")
    cmake_path(GET linked PARENT_PATH folder)
    install(FILES "${linked}" DESTINATION "${CMAKE_INSTALL_DOCDIR}/${folder}" COMPONENT documentation)
  endforeach()
endforeach()

if(HOCKET_BUILD_TOOLS)
  install(TARGETS hocket_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  if(hocket_texts_of_tool)
    install(FILES "${hocket_texts_of_tool}/hocket.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    install(FILES "${hocket_texts_of_tool}/hocket.bash"
      DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME hocket)
    install(FILES "${hocket_texts_of_tool}/hocket.zsh"
      DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" RENAME _hocket)
  endif()
endif()
