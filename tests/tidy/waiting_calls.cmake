# Checks that the table of docs/unmodified/waiting-calls.md has the functions that
# interpose/unmodified/libc/*_calls.cpp define for them, and no others.
#
#   cmake -P tests/tidy/waiting_calls.cmake
cmake_minimum_required(VERSION 3.22)

cmake_path(SET root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../..")
set(room "${root}/interpose/unmodified/libc")

# Functions at the beginnings of lines, and those that a macro defines.
set(in_code "")
foreach(file IN ITEMS file_calls poll_calls socket_calls lock_calls)
  file(READ "${room}/${file}.cpp" text)
  string(REGEX REPLACE "^.*\nextern \"C\" {" "" text "${text}")
  string(REGEX MATCHALL "\n(int|ssize_t) [a-z0-9_]+\\(|\nHOCKET_(FCNTL|LOCKF|WAITS_IN_EPOLL)\\([a-z0-9_]+" definitions "${text}")
  list(TRANSFORM definitions REPLACE "^\n(int|ssize_t|HOCKET_[A-Z_]+)[ (]([a-z0-9_]+)\\(?$" "\\2")
  list(APPEND in_code ${definitions})
endforeach()
list(FILTER in_code EXCLUDE REGEX "64$")  # the same for large files
list(SORT in_code)

file(READ "${root}/docs/unmodified/waiting-calls.md" text)
string(FIND "${text}" "\n|---|" table)
string(SUBSTRING "${text}" ${table} -1 text)
string(REGEX REPLACE "\n\n.*$" "" text "${text}")  # the first table only
string(REGEX MATCHALL "\n\\| [^|]*`[^|]+\\|" cells "${text}")
string(REGEX MATCHALL "`[a-z0-9_]+`" in_table "${cells}")
list(TRANSFORM in_table REPLACE "`" "")
list(SORT in_table)

if(NOT in_code OR NOT in_code STREQUAL in_table)
  message(FATAL_ERROR "docs/unmodified/waiting-calls.md:\n  ${in_table}\nis not what ${room} defines:\n  ${in_code}")
endif()
