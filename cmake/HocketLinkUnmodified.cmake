# Links Hocket's objects and those of interpose/unmodified into one object file. Run as a script:
#   cmake -D output=FILE -D core=OBJECTS -D entry_points=OBJECTS -D linker=ld -D objcopy=… -D nm=… -D objdump=… -P …
#
# A program whose own code is instrumented has instrumented copies of the standard library's templates and of
# Hocket's inline functions, and the linker would take those for ours as well. So here our copies are made
# local. Our data is gathered in two sections, which the snapshot of the program's data leaves out. And Hocket's
# objects are given functions of their own in place of some that interpose/unmodified defines for the program.
#
# For each function __wrap_F there the program needs the linker's option --wrap=F. They are written to the file
# OUTPUT.options, which the linker is to be given as @OUTPUT.options. Our own calls of F become ones of __real_F,
# by which the linker then means F itself.
# That catches the calls of libraries without hooks, too. To give F another name in the header that instrumented
# files include (#pragma redefine_extname) would not, but it does not hold for all: with _FORTIFY_SOURCE the calls keep
# their names, and with both compilers so do the copies of structures; members of classes of the C++ library cannot be
# renamed so.
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output_of_run)
  set(output_of_run "${output_of_run}" PARENT_SCOPE)
endfunction()

set(own_functions
  _exit=hocket_guarded_exit
  _Exit=hocket_guarded_Exit
  _Znwm=hocket_own_new
  _Znam=hocket_own_new_array
  _ZnwmSt11align_val_t=hocket_own_aligned_new
  _ZnamSt11align_val_t=hocket_own_aligned_new_array
  __cxa_guard_acquire=hocket_own_guard_acquire
  __cxa_guard_release=hocket_own_guard_release
  __cxa_guard_abort=hocket_own_guard_abort)

list(TRANSFORM own_functions PREPEND "--redefine-sym=" OUTPUT_VARIABLE redefine)
run("${linker}" -r -o "${output}.core.o" ${core})
run("${objcopy}" ${redefine} "${output}.core.o")
run("${linker}" -r --force-group-allocation -o "${output}.all.o" "${output}.core.o" ${entry_points})

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
  endif()
  if(symbol MATCHES "^[^ ]+ T " OR symbol MATCHES "^(__tsan_|(WTF)?Annotate)[^ ]* W "
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
set(rename "")
foreach(section IN LISTS sections)
  if(section MATCHES "^\\.data(\\.rel\\.ro|1)")
    continue()
  elseif(section MATCHES "^\\.data")
    list(APPEND rename "--rename-section=${section}=hocket_data")
  else()
    list(APPEND rename "--rename-section=${section}=hocket_bss")
  endif()
endforeach()
run("${objcopy}" "--keep-global-symbols=${output}.symbols" ${rename} ${unwrap} "${output}.all.o" "${output}")
