# Entry points for functions that reach state which Hocket does not follow (interpose/unmodified/untracked/calls.txt).
# For scripts.
#
# Each has the address of its row in %r11 and lets hocket_note_untracked_call() see the call, which returns where the
# function itself is; with all arguments as they were, that is jumped to. So one entry point fits every function.

# hocket_read_untracked_calls(<file>): sets hocket_untracked_calls to a list of "function:kind:changes:which".
function(hocket_read_untracked_calls file)
  file(STRINGS "${file}" rows REGEX "^[^#]")
  set(all "")
  foreach(row IN LISTS rows)
    if(NOT row MATCHES "^([^|]+) \\| ([a-z][0-9]?) \\| (-|[a-z][0-9]) \\| (.+)$")
      message(FATAL_ERROR "${file}: ${row}")
    endif()
    set(rest ":${CMAKE_MATCH_1}:${CMAKE_MATCH_2}:${CMAKE_MATCH_3}")
    string(REPLACE " " ";" functions "${CMAKE_MATCH_4}")
    foreach(function IN LISTS functions)
      list(APPEND all "${function}${rest}")
    endforeach()
  endforeach()
  set(hocket_untracked_calls "${all}" PARENT_SCOPE)
endfunction()

# hocket_write_untracked_calls(<file> <symbol>...)
#
# A symbol that is among those given is Hocket's own definition of that function, now called hocket_followed_SYMBOL.
function(hocket_write_untracked_calls file)
  set(text "\t.section .note.GNU-stack,\"\",@progbits\n\t.text\n")
  string(APPEND text [[
	.globl hocket_note_and_jump, hocket_note_and_jump_end
	.hidden hocket_note_and_jump, hocket_note_and_jump_end
hocket_note_and_jump:
	.cfi_startproc
	subq $200, %rsp
	.cfi_adjust_cfa_offset 200
	movq %rdi, (%rsp)
	movq %rsi, 8(%rsp)
	movq %rdx, 16(%rsp)
	movq %rcx, 24(%rsp)
	movq %r8, 32(%rsp)
	movq %r9, 40(%rsp)
	movq %rax, 48(%rsp)
	movups %xmm0, 72(%rsp)
	movups %xmm1, 88(%rsp)
	movups %xmm2, 104(%rsp)
	movups %xmm3, 120(%rsp)
	movups %xmm4, 136(%rsp)
	movups %xmm5, 152(%rsp)
	movups %xmm6, 168(%rsp)
	movups %xmm7, 184(%rsp)
	movq %r11, %rdi
	movq 200(%rsp), %rsi
	movq %rsp, %rdx
	call hocket_note_untracked_call@PLT
	movq %rax, %r11
	movups 72(%rsp), %xmm0
	movups 88(%rsp), %xmm1
	movups 104(%rsp), %xmm2
	movups 120(%rsp), %xmm3
	movups 136(%rsp), %xmm4
	movups 152(%rsp), %xmm5
	movups 168(%rsp), %xmm6
	movups 184(%rsp), %xmm7
	movq (%rsp), %rdi
	movq 8(%rsp), %rsi
	movq 16(%rsp), %rdx
	movq 24(%rsp), %rcx
	movq 32(%rsp), %r8
	movq 40(%rsp), %r9
	movq 48(%rsp), %rax
	addq $200, %rsp
	.cfi_adjust_cfa_offset -200
	jmp *%r11
	.cfi_endproc
hocket_note_and_jump_end:
]])
  set(rows "")
  foreach(call IN LISTS hocket_untracked_calls)
    string(REPLACE ":" ";" call "${call}")
    list(GET call 0 name)
    list(GET call 1 kind)
    list(GET call 2 changes)
    list(GET call 3 which)
    set(symbol "${name}")
    set(target 0)
    if("__wrap_${name}" IN_LIST ARGN)
      set(symbol "__wrap_${name}")
    endif()
    if("${symbol}" IN_LIST ARGN)
      set(target "hocket_followed_${symbol}")
    endif()
    string(APPEND text
      "\t.globl ${symbol}\n\t.type ${symbol}, @function\n${symbol}:\n"
      "\t.cfi_startproc\n\tleaq .Lrow_${name}(%rip), %r11\n\tjmp hocket_note_and_jump\n\t.cfi_endproc\n")
    string(APPEND rows ".Lrow_${name}:\n\t.quad ${target}\n\t.quad .Lname_${name}\n\t.quad .Lkind_${name}\n"
      "\t.ascii \"${changes}\"\n\t.balign 4, 0\n\t.ascii \"${which}\"\n\t.balign 8, 0\n")
    string(APPEND strings ".Lname_${name}:\n\t.string \"${name}\"\n.Lkind_${name}:\n\t.string \"${kind}\"\n")
  endforeach()
  string(APPEND text "\t.data\n\t.p2align 3\n${rows}\t.section .rodata.str1.1,\"aMS\",@progbits,1\n${strings}")
  file(WRITE "${file}" "${text}")
endfunction()
