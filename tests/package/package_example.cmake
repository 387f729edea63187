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

# Neither do the libraries and programs: others may come to own a folder in which Hocket was built. (Debug information
# does.)
file(GLOB_RECURSE binaries "${work_dir}/prefix/*.a" "${work_dir}/prefix/*.o" "${work_dir}/prefix/*.so*"
  "${work_dir}/prefix/bin/*" "${work_dir}/prefix/libexec/*")
if(NOT binaries)
  message(FATAL_ERROR "no library was installed")
endif()
if(config STREQUAL "Release")
  foreach(file IN LISTS binaries)
    foreach(folder IN ITEMS "${hocket_build_dir}" "${hocket_source_dir}")
      string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" folder_as_regex "${folder}")
      file(STRINGS "${file}" found REGEX "${folder_as_regex}" LIMIT_COUNT 3)
      if(found)
        message(FATAL_ERROR "${file} speaks of ${folder}: ${found}")
      endif()
    endforeach()
  endforeach()
endif()

run("${CMAKE_COMMAND}"
  -S "${hocket_source_dir}/samples/package_example"
  -B "${work_dir}/build"
  -G "${generator}"
  "-DCMAKE_PREFIX_PATH=${work_dir}/prefix"
  "-DCMAKE_CXX_COMPILER=${compiler}"
  "-DCMAKE_CXX_FLAGS=${flags}"
  "-DCMAKE_BUILD_TYPE=${config}")
run("${CMAKE_COMMAND}" --build "${work_dir}/build" --config "${config}")

# Every header that users include is there, and needs no other one before it.
set(headers hocket/hocket.hpp hocket/gtest.hpp hocket/hocket.h hocket/schedule.hpp hocket/model.hpp
  hocket/model_gtest.hpp hocket/version.h)
set(sources "")
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER "${header}" name)
  file(WRITE "${work_dir}/headers/${name}.cpp" "#include <${header}>\n")
  string(APPEND sources " ${name}.cpp")
endforeach()
file(APPEND "${work_dir}/headers/hocket_version_h.cpp" "static_assert(sizeof HOCKET_VERSION > 1 && HOCKET_VERSION_MAJOR >= 0);\n")
file(APPEND "${work_dir}/headers/hocket_schedule_hpp.cpp" "int steps(const hocket::Schedule& s) { return s.max_steps; }\n")
file(WRITE "${work_dir}/headers/CMakeLists.txt" "cmake_minimum_required(VERSION 3.22)
project(headers LANGUAGES CXX)
find_package(hocket REQUIRED COMPONENTS gtest)
add_library(headers STATIC${sources})
target_link_libraries(headers PRIVATE hocket::gtest)
")
run("${CMAKE_COMMAND}" -S "${work_dir}/headers" -B "${work_dir}/headers/build" -G "${generator}"
  "-DCMAKE_PREFIX_PATH=${work_dir}/prefix" "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_BUILD_TYPE=${config}")
run("${CMAKE_COMMAND}" --build "${work_dir}/headers/build" --config "${config}")
if(EXISTS "${work_dir}/prefix/bin/hocket")
  foreach(file IN ITEMS man/man1/hocket.1 bash-completion/completions/hocket zsh/site-functions/_hocket)
    if(NOT EXISTS "${work_dir}/prefix/share/${file}")
      message(FATAL_ERROR "share/${file} was not installed")
    endif()
  endforeach()
endif()

file(GLOB_RECURSE instruments "${work_dir}/prefix/*/HocketInstrument.cmake")

# The same with make, by the flags that the installed command prints, and by pkg-config.
find_program(make NAMES make)
if(make AND instruments AND EXISTS "${work_dir}/prefix/bin/hocket" AND NOT flags)
  file(COPY "${hocket_source_dir}/samples/package_example/" DESTINATION "${work_dir}/with_make")
  find_program(pkg_config NAMES pkg-config)
  set(targets queue_test)
  if(pkg_config)
    list(APPEND targets counter_test)
  endif()
  run("${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${work_dir}/prefix/lib/pkgconfig" "${make}" -C "${work_dir}/with_make"
    "CXX=${compiler}" "HOCKET=${work_dir}/prefix/bin/hocket" ${targets})
  foreach(target IN LISTS targets)
    run("${work_dir}/with_make/${target}")
  endforeach()
  # Names come from a program beside the command; where that is not in PATH, somebody says so.
  file(WRITE "${work_dir}/with_make/fails.cpp" "#include <thread>
#include <hocket/gtest.hpp>
HOCKET_TEST(Fails, WithANamedVariable) {
  int counter = 0;
  std::thread other([&] { ++counter; });
  ++counter;
  other.join();
}
")
  file(APPEND "${work_dir}/with_make/Makefile" "
fails: fails.cpp
	$(CXX) $(CXXFLAGS) $$($(HOCKET) flags --compile --compiler $(CXX)) -c -o fails.o fails.cpp
	$(CXX) -o $@ fails.o $$($(HOCKET) flags --link --gtest)
")
  run("${make}" -C "${work_dir}/with_make" "CXX=${compiler}" "HOCKET=${work_dir}/prefix/bin/hocket" fails)
  foreach(path IN ITEMS "/usr/bin:/bin|as hocket-debug-info was not found" "${work_dir}/prefix/bin:/usr/bin:/bin|counter")
    string(REPLACE "|" ";" path "${path}")
    list(POP_BACK path wanted)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env COLUMNS=1000 "PATH=${path}" "${work_dir}/with_make/fails" --hocket_out=none
      WORKING_DIRECTORY "${work_dir}/with_make" OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
    string(FIND "${output}" "${wanted}" position)
    if(status EQUAL 0 OR position EQUAL -1)
      message(FATAL_ERROR "with PATH=${path} ${wanted} should be told: ${status}: ${output}")
    endif()
  endforeach()
  # What `hocket flags` prints depends on the language and the compiler.
  set(flags_command "${work_dir}/prefix/bin/hocket" flags)
  foreach(arguments IN ITEMS "--compile" "--compile;--language;c" "--compile;--compiler;clang++-16" "--link" "--link;--whole-program")
    execute_process(COMMAND ${flags_command} ${arguments} OUTPUT_VARIABLE "printed_${arguments}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  foreach(pair IN ITEMS "--compile|-fsanitize=thread" "--compile|-gdwarf-4" "--compile|/HocketInstrumented.hpp"
      "--compile;--language;c|/HocketTimeStamps.h" "--compile;--compiler;clang++-16|-mllvm" "--link|-Wl,-z,now"
      "--link;--whole-program|--wrap=main")
    string(REPLACE "|" ";" pair "${pair}")
    list(POP_BACK pair word)
    string(FIND "${printed_${pair}}" "${word}" position)
    if(position EQUAL -1)
      message(FATAL_ERROR "hocket flags ${pair} should print ${word}: ${printed_${pair}}")
    endif()
  endforeach()
  if("${printed_--compile;--language;c}" MATCHES "HocketInstrumented" OR "${printed_--compile;--compiler;clang++-16}" MATCHES "gdwarf"
      OR "${printed_--link}" MATCHES "wrap=main")
    message(FATAL_ERROR "hocket flags prints too much: ${printed_--link}")
  endif()
endif()

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

# All of a dependency is instrumented at once, what is in its subfolders too, but for what is left out.
if(instruments)
  foreach(library IN ITEMS outer inner left_out)
    file(WRITE "${work_dir}/dependent/dependency/${library}.cpp" "int ${library} = 0;\nvoid count_${library}() { ++${library}; }\n")
  endforeach()
  file(WRITE "${work_dir}/dependent/dependency/CMakeLists.txt"
    "add_subdirectory(inner)
add_library(outer outer.cpp)
add_library(left_out left_out.cpp)
add_library(only_names INTERFACE)
add_executable(its_tool its_tool.cpp)
target_link_libraries(its_tool outer)  # the signature without keywords
")
  file(WRITE "${work_dir}/dependent/dependency/its_tool.cpp" "void count_outer();\nint main() { count_outer(); }\n")
  file(WRITE "${work_dir}/dependent/dependency/inner/CMakeLists.txt" "add_library(inner ../inner.cpp)\n")
  file(WRITE "${work_dir}/dependent/main.cpp" "#include <string_view>
#include <thread>
void count_outer();
void count_inner();
void count_left_out();
int main(int, char** arguments) {
  const std::string_view which = arguments[1];
  const auto count = which == \"outer\" ? &count_outer : which == \"inner\" ? &count_inner : &count_left_out;
  std::thread a(count), b(count);
  a.join();
  b.join();
}
")
  file(WRITE "${work_dir}/dependent/CMakeLists.txt" "cmake_minimum_required(VERSION 3.22)
project(dependent LANGUAGES CXX)
find_package(hocket REQUIRED)
add_subdirectory(dependency)
add_executable(dependent main.cpp)
target_link_libraries(dependent PRIVATE outer inner left_out)
list(APPEND HOCKET_WITHOUT_HOOKS left_out)
hocket_instrument(dependent WHOLE_PROGRAM)
hocket_instrument_folder(dependency)
")
  run("${CMAKE_COMMAND}" -S "${work_dir}/dependent" -B "${work_dir}/dependent/build" -G "${generator}"
    "-DCMAKE_PREFIX_PATH=${work_dir}/prefix" "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_BUILD_TYPE=${config}")
  run("${CMAKE_COMMAND}" --build "${work_dir}/dependent/build" --config "${config}")
  run("${work_dir}/dependent/build/dependency/its_tool")
  # A program without hooks that uses such a library is told of, before the linker finds no functions.
  file(READ "${work_dir}/dependent/CMakeLists.txt" text)
  file(APPEND "${work_dir}/dependent/CMakeLists.txt" "add_library(between INTERFACE)
target_link_libraries(between INTERFACE inner)
add_executable(plain main.cpp)
target_link_libraries(plain PRIVATE between)
")
  execute_process(COMMAND "${CMAKE_COMMAND}" "${work_dir}/dependent/build"
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
  string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
  if(status EQUAL 0 OR NOT errors MATCHES "The program plain uses the library inner, .* call hocket_instrument\\(plain\\), too")
    message(FATAL_ERROR "a program without hooks: ${status}, ${errors}")
  endif()
  file(WRITE "${work_dir}/dependent/CMakeLists.txt" "${text}")
  file(APPEND "${work_dir}/dependent/CMakeLists.txt" "hocket_instrument_folder(no_such)\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" "${work_dir}/dependent/build"
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
  string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
  if(status EQUAL 0 OR NOT errors MATCHES "no_such\\): nothing is built there")
    message(FATAL_ERROR "a folder that is none: ${status}, ${errors}")
  endif()
  foreach(library IN ITEMS outer inner left_out)
    execute_process(COMMAND "${work_dir}/dependent/build/dependent" ${library} WORKING_DIRECTORY "${work_dir}"
      RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(library STREQUAL "left_out")
      set(expected 0 "passed every schedule")
    else()
      set(expected 1 "data race: [^\n]*${library}\\.cpp:2")
    endif()
    list(POP_FRONT expected expected_status)
    if(NOT status EQUAL expected_status OR NOT output MATCHES "${expected}")
      message(FATAL_ERROR "the library ${library}: ${status}, ${output}")
    endif()
  endforeach()
endif()

run("${CMAKE_CTEST_COMMAND}" --test-dir "${work_dir}/build" --build-config "${config}"
  --output-on-failure --no-tests=error)
