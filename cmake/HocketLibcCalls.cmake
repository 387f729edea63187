# Hocket's calls of libc, by names that no program can take. For scripts.
#
# ISO C gives a program all names but those that begin with an underscore and those of its own library: `int send;` is
# a variable like any other. Hocket calls send(), and the linker would have it read that variable. So each call of F
# becomes one of hocket_libc_F, which jumps to the libc's F (runtime/platform/libc_calls.cpp finds it). It is done for
# every function that libc and libm have, so that there is no list that one could be forgotten in.

# Data has other names in libc, which are reserved.
set(hocket_libc_data environ=__environ program_invocation_short_name=__progname)

# Memory has to come from where the program's does, or from Hocket's own heaps: these keep their names. So do those that
# Hocket defines for the program, and which no program of C may define.
set(hocket_kept_calls malloc calloc realloc free aligned_alloc posix_memalign exit abort)

# hocket_libc_functions(<result> <nm> <file>...)
#
# The functions that these files of the system (libc.so.6, libm.so.6) define.
function(hocket_libc_functions result nm)
  set(all "")
  foreach(file IN LISTS ARGN)
    execute_process(COMMAND "${nm}" -D --defined-only --format=posix "${file}"
      COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
    string(REGEX MATCHALL "[^\n]+" lines "${output}")
    foreach(line IN LISTS lines)
      if(line MATCHES "^([A-Za-z][A-Za-z0-9_]*)@@[^ ]* [TWi] ")  # the default version of a function
        list(APPEND all "${CMAKE_MATCH_1}")
      endif()
    endforeach()
  endforeach()
  list(REMOVE_ITEM all ${hocket_kept_calls})
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

# hocket_undefined_symbols(<result> <nm> <file>...)
function(hocket_undefined_symbols result nm)
  execute_process(COMMAND "${nm}" --undefined-only --format=posix ${ARGN}
    COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  string(REGEX MATCHALL "[^\n ]+ U" all "${output}")
  list(TRANSFORM all REPLACE " U$" "")
  list(REMOVE_DUPLICATES all)
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

# hocket_common_names(<result> <list> <list>): what is in both of these variables.
function(hocket_common_names result one other)
  set(rest ${${one}})
  list(REMOVE_ITEM rest ${${other}})
  set(both ${${one}})
  list(REMOVE_ITEM both ${rest})
  set(${result} "${both}" PARENT_SCOPE)
endfunction()

# hocket_write_renamings(<file> <function>...): for objcopy --redefine-syms.
function(hocket_write_renamings file)
  set(text "")
  foreach(name IN LISTS ARGN)
    string(APPEND text "${name} hocket_libc_${name}\n")
  endforeach()
  foreach(pair IN LISTS hocket_libc_data)
    string(REPLACE "=" " " pair "${pair}")
    string(APPEND text "${pair}\n")
  endforeach()
  file(WRITE "${file}" "${text}")
endfunction()

# hocket_keep_arguments(<save> <restore>)
#
# Sets them to instructions that write registers which may hold arguments, and %r11, to 200 bytes at the stack pointer,
# and read them back: integers from 0 on in the order of arguments, %r11 at 64.
function(hocket_keep_arguments save restore)
  set(saves "")
  set(restores "")
  set(place 0)
  foreach(register IN ITEMS rdi rsi rdx rcx r8 r9 rax r10 r11 xmm0 xmm1 xmm2 xmm3 xmm4 xmm5 xmm6 xmm7)
    if(register MATCHES "^xmm")
      set(move movups)
      set(size 16)
    else()
      set(move movq)
      set(size 8)
    endif()
    string(APPEND saves "\t${move} %${register}, ${place}(%rsp)\n")
    string(APPEND restores "\t${move} ${place}(%rsp), %${register}\n")
    math(EXPR place "${place} + ${size}")
  endforeach()
  set(${save} "${saves}" PARENT_SCOPE)
  set(${restore} "${restores}" PARENT_SCOPE)
endfunction()

# hocket_write_libc_calls(<file> <IN_ANY_PROGRAM|IN_DYNAMIC_PROGRAMS> <function>...)
#
# Writes hocket_libc_F for each of them, in the assembler's language. Registers that hold arguments are kept while F is
# looked up, at its first call. A static program has no libc that it could be looked up in; there F is what the linker
# takes for it.
function(hocket_write_libc_calls file where)
  hocket_keep_arguments(save restore)
  set(text "\t.section .note.GNU-stack,\"\",@progbits\n\t.text\n")
  string(APPEND text "hocket_look_up:\n\tsubq $200, %rsp\n${save}"
    "\tmovq 8(%r11), %rdi\n\tmovq 16(%r11), %rsi\n\tcall hocket_find_in_libc@PLT\n"
    "\tmovq 64(%rsp), %r11\n\tmovq %rax, (%r11)\n${restore}\taddq $200, %rsp\n\tjmp *(%r11)\n")
  foreach(name IN LISTS ARGN)
    string(APPEND text
      "\t.globl hocket_libc_${name}\n\t.hidden hocket_libc_${name}\n\t.type hocket_libc_${name}, @function\n"
      "hocket_libc_${name}:\n\tjmp *.Lof_${name}(%rip)\n"
      ".Lfirst_${name}:\n\tleaq .Lof_${name}(%rip), %r11\n\tjmp hocket_look_up\n")
  endforeach()
  string(APPEND text "\t.data\n\t.p2align 3\n")
  foreach(name IN LISTS ARGN)
    set(otherwise 0)
    if(where STREQUAL "IN_ANY_PROGRAM")
      set(otherwise "${name}")
    endif()
    string(APPEND text ".Lof_${name}:\n\t.quad .Lfirst_${name}\n\t.quad .Lname_${name}\n\t.quad ${otherwise}\n")
  endforeach()
  string(APPEND text "\t.section .rodata.str1.1,\"aMS\",@progbits,1\n")
  foreach(name IN LISTS ARGN)
    string(APPEND text ".Lname_${name}:\n\t.string \"${name}\"\n")
  endforeach()
  file(WRITE "${file}" "${text}")
endfunction()
