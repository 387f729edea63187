# Links Hocket's objects and those of interpose/unmodified into one object file. Run as a script:
#   cmake -D output=FILE -D core=OBJECTS -D entry_points=OBJECTS -D linker=ld -D objcopy=… -D nm=… -D objdump=…
#     -D as=… -D libc=FILE -D libm=FILE -P …
#
# A program whose own code is instrumented has instrumented copies of the standard library's templates and of
# Hocket's inline functions, and the linker would take those for ours as well. So here our copies are made
# local. Our data is gathered in two sections, which the snapshot of the program's data leaves out. And Hocket's
# objects are given functions of their own in place of some that interpose/unmodified defines for the program.
#
# Our calls of libc get names that no program can take (HocketLibcCalls.cmake). Functions whose names ISO C leaves to
# programs are weak, so that the program's own definition wins. pthread_create and similar ones stay strong: who else
# defines them would take the program from our control.
#
# For each function __wrap_F there the program needs the linker's option --wrap=F. They are written to the file
# OUTPUT.options, which the linker is to be given as @OUTPUT.options. Our own calls of F, where it is none of libc's,
# become ones of __real_F, by which the linker then means F itself. --wrap is for names that a program cannot have.
# That catches the calls of libraries without hooks, too. To give F another name in the header that instrumented
# files include (#pragma redefine_extname) would not, but it does not hold for all: with _FORTIFY_SOURCE the calls keep
# their names, and with both compilers so do the copies of structures; members of classes of the C++ library cannot be
# renamed so.
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output_of_run)
  set(output_of_run "${output_of_run}" PARENT_SCOPE)
endfunction()

set(own_guards
  __cxa_guard_acquire=hocket_own_guard_acquire
  __cxa_guard_release=hocket_own_guard_release
  __cxa_guard_abort=hocket_own_guard_abort)
set(own_functions
  exit=hocket_guarded_orderly_exit
  _exit=hocket_guarded_exit
  _Exit=hocket_guarded_Exit
  _Znwm=hocket_own_new
  _Znam=hocket_own_new_array
  _ZnwmSt11align_val_t=hocket_own_aligned_new
  _ZnamSt11align_val_t=hocket_own_aligned_new_array
  ${own_guards})

include("${CMAKE_CURRENT_LIST_DIR}/HocketLibcCalls.cmake")

# Which of the names that interpose/unmodified defines a program may take.
function(is_for_program result name)
  if(name MATCHES "^(_|hocket_|pthread_|sem_|mtx_|cnd_|thrd_|tss_|(WTF)?Annotate)" OR name IN_LIST hocket_kept_calls
      OR name MATCHES "^(call_once|fclose|fopen|freopen|raise|rand|setbuf|setlocale|setvbuf|signal|srand|strtok|time|timespec_get|tmpfile)$")
    set(${result} FALSE PARENT_SCOPE)
  else()
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Calls of functions that Hocket defines for the program, in its own sources, that are to come back to Hocket: threads of
# C11 are those of POSIX, a handler's disposition is restored as if the program had set it, and what is registered for
# the end of the process or of a child is Hocket's in any case.
set(calls_that_come_back "^(c11_threads:pthread_.*|signal_delivery:signal|[a-z0-9_]+:(__cxa_atexit|_exit|__register_atfork))$")

hocket_libc_functions(of_libc "${nm}" "${libc}" "${libm}")

# What is undefined in the core is meant to be libc's; in entry points it may be another one of them.
list(TRANSFORM own_functions PREPEND "--redefine-sym=" OUTPUT_VARIABLE redefine)
list(TRANSFORM own_guards PREPEND "--redefine-sym=" OUTPUT_VARIABLE redefine_guards)
run("${linker}" -r -o "${output}.core.o" ${core})
hocket_undefined_symbols(undefined "${nm}" "${output}.core.o")
hocket_common_names(called undefined of_libc)
hocket_write_renamings("${output}.renamings" ${called})
run("${objcopy}" ${redefine} "--redefine-syms=${output}.renamings" "${output}.core.o")

run("${nm}" --defined-only --extern-only --format=posix ${entry_points})
string(REGEX MATCHALL "[^\n ]+ T " defined "${output_of_run}")
list(TRANSFORM defined REPLACE " T $" "")
set(weaken "")
set(not_of_libc ${defined})
foreach(name IN LISTS defined)
  is_for_program(can_be_the_programs "${name}")
  if(can_be_the_programs)
    list(APPEND weaken "--weaken-symbol=${name}")
    list(REMOVE_ITEM not_of_libc "${name}")
  endif()
endforeach()
file(MAKE_DIRECTORY "${output}.objects")
set(renamed_entry_points "")
foreach(object IN LISTS entry_points)
  hocket_undefined_symbols(undefined "${nm}" "${object}")
  hocket_common_names(called_there undefined of_libc)
  cmake_path(GET object FILENAME name)
  hocket_common_names(ours called_there not_of_libc)
  foreach(function IN LISTS ours)
    string(REGEX REPLACE "\\.cpp\\.o(bj)?$" ":${function}" call "${name}")
    if(NOT call MATCHES "${calls_that_come_back}")
      message(FATAL_ERROR "${object} calls ${function}(), which Hocket itself defines for the program: "
        "HOCKET_REAL(${function}) is the system's (interpose/unmodified/host/next_symbol.hpp).")
    endif()
  endforeach()
  list(REMOVE_ITEM called_there ${not_of_libc})
  list(APPEND called ${called_there})
  hocket_write_renamings("${output}.renamings" ${called_there})
  # The guard of a local static of ours is none of the body's steps.
  set(redefine "")
  if("__cxa_guard_acquire" IN_LIST undefined)
    set(redefine ${redefine_guards})
  endif()
  run("${objcopy}" ${redefine} "--redefine-syms=${output}.renamings" "${object}" "${output}.objects/${name}")
  list(APPEND renamed_entry_points "${output}.objects/${name}")
endforeach()

# Entry points in front of others, which get another name, or of the system's function.
include("${CMAKE_CURRENT_LIST_DIR}/HocketUntrackedCalls.cmake")
hocket_read_untracked_calls("${CMAKE_CURRENT_LIST_DIR}/../interpose/unmodified/untracked/calls.txt")
hocket_write_untracked_calls("${output}.untracked.s" ${defined})
run("${as}" -o "${output}.untracked.o" "${output}.untracked.s")
run("${as}" -o "${output}.checked.o" "${CMAKE_CURRENT_LIST_DIR}/../interpose/unmodified/libc/checked_calls.s")
hocket_undefined_symbols(entries "${nm}" "${output}.checked.o")
list(FILTER entries INCLUDE REGEX "^hocket_entry_")
list(TRANSFORM entries REPLACE "^hocket_entry_(.*)" "--defsym=hocket_entry_\\1=\\1")
run("${nm}" --defined-only --extern-only --format=posix "${output}.untracked.o")
string(REGEX MATCHALL "[^\n ]+ T " untracked "${output_of_run}")
list(TRANSFORM untracked REPLACE " T $" "")
set(redefine "")
foreach(name IN LISTS untracked)
  if(name IN_LIST defined)
    list(APPEND redefine "--redefine-sym=${name}=hocket_followed_${name}")
  else()
    is_for_program(can_be_the_programs "${name}")
    if(can_be_the_programs)
      list(APPEND weaken "--weaken-symbol=${name}")
    endif()
  endif()
endforeach()
foreach(object IN LISTS renamed_entry_points)
  run("${objcopy}" ${redefine} "${object}")
endforeach()

list(REMOVE_DUPLICATES called)
hocket_write_libc_calls("${output}.calls.s" IN_DYNAMIC_PROGRAMS ${called})
run("${as}" -o "${output}.calls.o" "${output}.calls.s")
run("${linker}" -r --force-group-allocation ${entries} -o "${output}.all.o"
  "${output}.core.o" ${renamed_entry_points} "${output}.untracked.o" "${output}.checked.o" "${output}.calls.o")

# Inline functions are weak (W); what is not is meant for others, and so are annotations, of which the program may have
# its own. Of the data only Hocket's own must stay one for the whole program (inline variables, type information), but
# for local statics, which belong to a function.
run("${nm}" --defined-only --extern-only --format=posix "${output}.all.o")
string(REGEX MATCHALL "[^\n]+" symbols "${output_of_run}")
set(kept "")
set(wrap_options "")
set(unwrap "")
foreach(symbol IN LISTS symbols)
  if(symbol MATCHES "^__wrap_([^ ]+) T ")
    string(APPEND wrap_options "--wrap=${CMAKE_MATCH_1}\n")
    list(APPEND unwrap "--redefine-sym=${CMAKE_MATCH_1}=__real_${CMAKE_MATCH_1}")
    if(CMAKE_MATCH_1 IN_LIST of_libc AND NOT CMAKE_MATCH_1 MATCHES "^(f(gets|puts|read|write)|(mem|str)[a-z]+|puts|qsort|v?sn?printf)$")
      message(FATAL_ERROR "${CMAKE_MATCH_1} is a name that ISO C gives to programs: define it in place of __wrap_${CMAKE_MATCH_1}")
    endif()
  endif()
  if((symbol MATCHES "^[^ ]+ T " AND NOT symbol MATCHES "^hocket_(libc|find_in_libc|followed|entry_|note_)") OR symbol MATCHES "^(__tsan_|(WTF)?Annotate)[^ ]* W "
      OR symbol MATCHES "^_Z(T[VISR]|GV)?NK?6hocket[^ ]* [DBRV] ")
    string(REGEX REPLACE " .*" "\n" symbol "${symbol}")
    string(APPEND kept "${symbol}")
  endif()
endforeach()
file(WRITE "${output}.symbols" "${kept}")
file(WRITE "${output}.options" "${wrap_options}")

run("${objdump}" --section-headers --wide "${output}.all.o")
string(REGEX MATCHALL "\\.(data|bss)[^ \n]*" sections "${output_of_run}")
list(REMOVE_DUPLICATES sections)
# Before the objects of the program: a search may run in the constructor of a global.
set(rename "--rename-section=.init_array=.init_array.00103")
foreach(section IN LISTS sections)
  if(section MATCHES "^\\.data(\\.rel\\.ro|1)")
    continue()
  elseif(section MATCHES "^\\.data")
    list(APPEND rename "--rename-section=${section}=hocket_data")
  else()
    list(APPEND rename "--rename-section=${section}=hocket_bss")
  endif()
endforeach()
run("${objcopy}" "--keep-global-symbols=${output}.symbols" ${weaken} ${rename} ${unwrap} "${output}.all.o" "${output}")
