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
    if(NOT row MATCHES "^([^|]+) \\| ([a-z][0-9]?) \\| (-|[a-zA-Z][0-9][0-9]?) \\| (.+)$")
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
  hocket_keep_arguments(save restore)
  string(APPEND text "\t.globl hocket_note_and_jump, hocket_note_and_jump_end\n"
    "\t.hidden hocket_note_and_jump, hocket_note_and_jump_end\n"
    "hocket_note_and_jump:\n\t.cfi_startproc\n\tsubq $200, %rsp\n\t.cfi_adjust_cfa_offset 200\n${save}"
    "\tmovq %r11, %rdi\n\tmovq 200(%rsp), %rsi\n\tmovq %rsp, %rdx\n\tcall hocket_note_untracked_call@PLT\n"
    "\tmovq %rax, 64(%rsp)\n${restore}\taddq $200, %rsp\n\t.cfi_adjust_cfa_offset -200\n\tjmp *%r11\n"
    "\t.cfi_endproc\nhocket_note_and_jump_end:\n")
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
      if(changes STREQUAL "x")
        message(FATAL_ERROR "calls.txt refuses ${name}(), which has an entry point of its own")
      endif()
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
