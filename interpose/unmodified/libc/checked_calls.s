# With -D_FORTIFY_SOURCE, which some systems have by default, a call that fills an object whose size the compiler knows
# becomes one of these, which get the size, too. Each compares as the C library's does, and jumps to the function itself,
# which so has the call's own caller. What writes text or moves memory is in string_functions.cpp, what uses streams and has no
# entry point here in untracked/calls.txt. hocket_entry_F is F of Hocket, also where the program has its own F.

# checked, function, the words or bytes that it fills, the bytes of the object, 2 to the power of the bytes of a word
.macro hocket_checked checked, function, size, room, shift, arguments:vararg
	.globl \checked
	.type \checked, @function
\checked:
	.cfi_startproc
	movq \room, %rax
	shrq $\shift, %rax
	cmpq %rax, \size
	ja 1f
	\arguments
	jmp hocket_entry_\function
1:	movq \size, %rsi
	movq \room, %rdx
	shlq $\shift, %rsi
	leaq 2f(%rip), %rdi
	jmp hocket_note_overflow
	.cfi_endproc
	.size \checked, . - \checked
	.pushsection .rodata.str1.1, "aMS", @progbits, 1
2:	.string "\function"
	.popsection
.endm

	.section .note.GNU-stack, "", @progbits
	.text
	hocket_checked __read_chk, read, %rdx, %rcx, 0
	hocket_checked __pread_chk, pread, %rdx, %r8, 0
	hocket_checked __pread64_chk, pread64, %rdx, %r8, 0
	hocket_checked __recv_chk, recv, %rdx, %rcx, 0, movl %r8d, %ecx
	hocket_checked __recvfrom_chk, recvfrom, %rdx, %rcx, 0, movq %r8, %rcx; movq %r9, %r8; movq 8(%rsp), %r9
	hocket_checked __poll_chk, poll, %rsi, %rcx, 3
	hocket_checked __ppoll_chk, ppoll, %rsi, %r8, 3
	hocket_checked __getcwd_chk, getcwd, %rsi, %rdx, 0
	hocket_checked __readlink_chk, readlink, %rdx, %rcx, 0
	hocket_checked __readlinkat_chk, readlinkat, %rcx, %r8, 0

# realpath() has no size: glibc's check that the object has room for the longest path is left out.
	.globl __realpath_chk
	.type __realpath_chk, @function
__realpath_chk:
	.cfi_startproc
	jmp hocket_entry_realpath
	.cfi_endproc
	.size __realpath_chk, . - __realpath_chk

# Of lists of groups the size is an int.
	.globl __getgroups_chk
	.type __getgroups_chk, @function
__getgroups_chk:
	.cfi_startproc
	testl %edi, %edi
	js 3f  # which it refuses
	movslq %edi, %rdi
	movq %rdx, %rax
	shrq $2, %rax
	cmpq %rax, %rdi
	ja 1f
3:	jmp hocket_entry_getgroups
1:	movq %rdi, %rsi
	shlq $2, %rsi
	leaq 2f(%rip), %rdi
	jmp hocket_note_overflow
	.cfi_endproc
	.size __getgroups_chk, . - __getgroups_chk
	.pushsection .rodata.str1.1, "aMS", @progbits, 1
2:	.string "getgroups"
	.popsection

# open() and its like without a mode, which flags that make a file need.
.macro hocket_without_mode checked, function, flags, mode
	.globl \checked
	.type \checked, @function
\checked:
	.cfi_startproc
	testl $0x40, \flags  # O_CREAT
	jnz 1f
	movl \flags, %eax
	andl $0x410000, %eax
	cmpl $0x410000, %eax  # O_TMPFILE
	je 1f
	xorl \mode, \mode
	xorl %eax, %eax
	jmp hocket_entry_\function
1:	leaq 2f(%rip), %rdi
	jmp hocket_note_missing_mode
	.cfi_endproc
	.size \checked, . - \checked
	.pushsection .rodata.str1.1, "aMS", @progbits, 1
2:	.string "\function"
	.popsection
.endm
	hocket_without_mode __open_2, open, %esi, %edx
	hocket_without_mode __open64_2, open64, %esi, %edx
	hocket_without_mode __openat_2, openat, %edx, %ecx
	hocket_without_mode __openat64_2, openat64, %edx, %ecx
	hocket_without_mode __mq_open_2, mq_open, %esi, %edx
