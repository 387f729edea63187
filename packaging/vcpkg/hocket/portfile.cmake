# A port of the tree that it is in: vcpkg install hocket --overlay-ports=HOCKET/packaging/vcpkg
vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

set(options "")
if(NOT "gtest" IN_LIST FEATURES)
  list(APPEND options -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON)
endif()
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DHOCKET_BUILD_TESTS=OFF
    -DHOCKET_BUILD_SAMPLES=OFF
    -DHOCKET_INSTALL=ON
    -DHOCKET_WERROR=OFF
    -DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON
    ${options})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/hocket)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES hocket AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
