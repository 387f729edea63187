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
# A project in C alone is told what to do.
file(WRITE "${work_dir}/in_c/main.c" "int main(void) { return 0; }\n")
file(WRITE "${work_dir}/in_c/CMakeLists.txt" "cmake_minimum_required(VERSION 3.22)
project(in_c LANGUAGES C)
find_package(hocket REQUIRED)
add_executable(in_c main.c)
if(COMMAND hocket_instrument)
  hocket_instrument(in_c WHOLE_PROGRAM)
endif()
")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${work_dir}/in_c" -B "${work_dir}/in_c/build" -G "${generator}"
    "-DCMAKE_PREFIX_PATH=${work_dir}/prefix"
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
if(status EQUAL 0 OR NOT errors MATCHES "enable the language, as in project\\(in_c LANGUAGES C CXX\\)")
  message(FATAL_ERROR "a project in C: ${status}, ${errors}")
endif()
# And with that it works.
file(READ "${work_dir}/in_c/CMakeLists.txt" text)
string(REPLACE "LANGUAGES C)" "LANGUAGES C CXX)" text "${text}")
file(WRITE "${work_dir}/in_c/CMakeLists.txt" "${text}")
run("${CMAKE_COMMAND}" -S "${work_dir}/in_c" -B "${work_dir}/in_c/build" -G "${generator}"
  "-DCMAKE_PREFIX_PATH=${work_dir}/prefix" "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_BUILD_TYPE=${config}")
run("${CMAKE_COMMAND}" --build "${work_dir}/in_c/build" --config "${config}")

run("${CMAKE_CTEST_COMMAND}" --test-dir "${work_dir}/build" --build-config "${config}"
  --output-on-failure --no-tests=error)
