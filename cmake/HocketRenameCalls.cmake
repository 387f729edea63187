# Gives the calls of libc in a library of Hocket's names that no program can take. Run as a script, once after the library
# was made:
#   cmake -D archive=FILE -D objcopy=… -D nm=… -D as=… -D ar=… -D libc=FILE -D libm=FILE -P …
cmake_minimum_required(VERSION 3.22)
include("${CMAKE_CURRENT_LIST_DIR}/HocketLibcCalls.cmake")

hocket_libc_functions(of_libc "${nm}" "${libc}" "${libm}")
hocket_undefined_symbols(undefined "${nm}" "${archive}")
hocket_common_names(called undefined of_libc)
hocket_write_renamings("${archive}.renamings" ${called})
hocket_write_libc_calls("${archive}.calls.s" IN_ANY_PROGRAM ${called})
foreach(command IN ITEMS
    "${objcopy}|--redefine-syms=${archive}.renamings|${archive}"
    "${as}|-o|${archive}.calls.o|${archive}.calls.s"
    "${ar}|qs|${archive}|${archive}.calls.o")
  string(REPLACE "|" ";" command "${command}")
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
