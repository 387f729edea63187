# Checks that lists which people keep by hand are complete. Run as a script: cmake -P tests/tidy/lists.cmake
cmake_minimum_required(VERSION 3.22)
cmake_path(SET root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../..")

# The doors that tools/doors knows are in the table of the page.
execute_process(COMMAND "${root}/tools/doors" --list OUTPUT_VARIABLE doors COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" doors "${doors}")
file(READ "${root}/docs/targets.md" page)
foreach(door IN LISTS doors)
  if(NOT page MATCHES "\n\\| `${door}` \\|")
    message(SEND_ERROR "docs/targets.md has no door ${door}")
  endif()
endforeach()

# What runs on the server each night are the steps of tools/nightly.
file(READ "${root}/.github/workflows/ci.yml" workflow)
string(REGEX MATCH "step: \\[([^]]*)\\]" matched "${workflow}")
set(of_workflow "${CMAKE_MATCH_1}")
file(STRINGS "${root}/tools/nightly" line REGEX "^all_steps=")
string(REGEX REPLACE "^all_steps=\\(dependencies (.*)\\)$" "\\1" of_script "${line}")
string(REPLACE " " ", " of_script "${of_script}")
if(NOT of_workflow STREQUAL of_script)
  message(SEND_ERROR ".github/workflows/ci.yml has the steps ${of_workflow}, and tools/nightly ${of_script}")
endif()

# The version that CMakeLists.txt names is the newest in the list of changes.
file(STRINGS "${root}/CMakeLists.txt" line REGEX "^  VERSION [0-9.]+$")
string(REGEX REPLACE "^ *VERSION " "" version "${line}")
file(STRINGS "${root}/CHANGELOG.md" headings REGEX "^## \\[[0-9]")
list(GET headings 0 newest)
if(NOT newest MATCHES "^## \\[${version}\\] - [0-9-]+$")
  message(SEND_ERROR "CHANGELOG.md begins with \"${newest}\", and the version is ${version}")
endif()
