# Checks what can be checked without vcpkg, Conan and Bazel: the syntax of their files, and that ports know the version. Run as a
# script:
#   cmake -D version=VERSION -P tests/packaging/ports.cmake
cmake_minimum_required(VERSION 3.22)
cmake_path(SET root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../..")

file(READ "${root}/packaging/vcpkg/hocket/vcpkg.json" text)
string(JSON found GET "${text}" version)  # fails where the text is no JSON
if(NOT found STREQUAL version)
  message(FATAL_ERROR "packaging/vcpkg/hocket/vcpkg.json is of version ${found}, and CMakeLists.txt of ${version}")
endif()

# The port, with functions of vcpkg that do nothing but note that they were called.
set(called "")
macro(vcpkg_check_linkage)
endmacro()
macro(vcpkg_cmake_configure)
  set(configured ${ARGN})
endmacro()
foreach(function IN ITEMS vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_copy_tools)
  cmake_language(EVAL CODE "macro(${function})\nlist(APPEND called ${function})\nendmacro()")
endforeach()
macro(vcpkg_install_copyright)
  cmake_parse_arguments(copyright "" "" FILE_LIST ${ARGN})
endmacro()
set(CURRENT_PORT_DIR "${root}/packaging/vcpkg/hocket")
set(CURRENT_PACKAGES_DIR "${CMAKE_CURRENT_BINARY_DIR}/no_such_folder")
set(FEATURES core)
include("${CURRENT_PORT_DIR}/portfile.cmake")
if(NOT "vcpkg_cmake_install" IN_LIST called OR NOT EXISTS "${copyright_FILE_LIST}"
    OR NOT "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON" IN_LIST configured)
  message(FATAL_ERROR "the port does not build Hocket: ${called}, ${configured}, ${copyright_FILE_LIST}")
endif()
# What it asks CMake for are options of Hocket.
file(READ "${root}/CMakeLists.txt" project)
foreach(option IN LISTS configured)
  if(option MATCHES "^-D(HOCKET_[A-Z_]+)=")
    set(name "${CMAKE_MATCH_1}")
    if(NOT project MATCHES "option\\(${name} ")
      message(FATAL_ERROR "CMakeLists.txt has no option ${name}")
    endif()
  endif()
endforeach()

find_program(python NAMES python3)
if(python)
  # Bazel's language has the syntax of Python.
  file(GLOB bazel_files "${root}/samples/package_example/*.bazel" "${root}/samples/package_example/*.bzl")
  execute_process(COMMAND "${python}" -c "import ast, sys; [ast.parse(open(name).read(), name) for name in sys.argv[1:]]"
    "${root}/packaging/conan/conanfile.py" ${bazel_files} COMMAND_ERROR_IS_FATAL ANY)
endif()
message("the ports are of version ${version}")
