# Installs Hocket, then configures, builds and tests samples/package_example against what was installed.
# The caller sets hocket_build_dir, hocket_source_dir, work_dir, generator, compiler, flags, config.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${work_dir}")

# Installed in one place and used from another: a package that only works where it was put is broken.
run("${CMAKE_COMMAND}" --install "${hocket_build_dir}" --config "${config}" --prefix "${work_dir}/staged")
file(RENAME "${work_dir}/staged" "${work_dir}/prefix")

file(GLOB_RECURSE package_files "${work_dir}/prefix/*.cmake")
if(NOT package_files)
  message(FATAL_ERROR "no CMake package was installed")
endif()
foreach(file IN LISTS package_files)
  file(READ "${file}" text)
  foreach(folder IN ITEMS "${hocket_build_dir}" "${hocket_source_dir}")
    string(FIND "${text}" "${folder}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} speaks of ${folder}")
    endif()
  endforeach()
endforeach()

run("${CMAKE_COMMAND}"
  -S "${hocket_source_dir}/samples/package_example"
  -B "${work_dir}/build"
  -G "${generator}"
  "-DCMAKE_PREFIX_PATH=${work_dir}/prefix"
  "-DCMAKE_CXX_COMPILER=${compiler}"
  "-DCMAKE_CXX_FLAGS=${flags}"
  "-DCMAKE_BUILD_TYPE=${config}")
run("${CMAKE_COMMAND}" --build "${work_dir}/build" --config "${config}")
run("${CMAKE_CTEST_COMMAND}" --test-dir "${work_dir}/build" --build-config "${config}"
  --output-on-failure --no-tests=error)
