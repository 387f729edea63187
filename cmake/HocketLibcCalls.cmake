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

# hocket_write_libc_calls(<file> <IN_ANY_PROGRAM|IN_DYNAMIC_PROGRAMS> <function>...)
#
# Writes hocket_libc_F for each of them, in the assembler's language. Registers that hold arguments are kept while F is
# looked up, at its first call. A static program has no libc that it could be looked up in; there F is what the linker
# takes for it.
function(hocket_write_libc_calls file where)
  set(text "\t.section .note.GNU-stack,\"\",@progbits\n\t.text\n")
  string(APPEND text [[
hocket_look_up:
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %r8
	pushq %r9
	pushq %rax
	pushq %r10
	pushq %r11
	subq $128, %rsp
	movups %xmm0, (%rsp)
	movups %xmm1, 16(%rsp)
	movups %xmm2, 32(%rsp)
	movups %xmm3, 48(%rsp)
	movups %xmm4, 64(%rsp)
	movups %xmm5, 80(%rsp)
	movups %xmm6, 96(%rsp)
	movups %xmm7, 112(%rsp)
	movq 8(%r11), %rdi
	movq 16(%r11), %rsi
	call hocket_find_in_libc@PLT
	movq 128(%rsp), %r11
	movq %rax, (%r11)
	movups (%rsp), %xmm0
	movups 16(%rsp), %xmm1
	movups 32(%rsp), %xmm2
	movups 48(%rsp), %xmm3
	movups 64(%rsp), %xmm4
	movups 80(%rsp), %xmm5
	movups 96(%rsp), %xmm6
	movups 112(%rsp), %xmm7
	addq $128, %rsp
	popq %r11
	popq %r10
	popq %rax
	popq %r9
	popq %r8
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
	jmp *(%r11)
]])
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
