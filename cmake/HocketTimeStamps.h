/* The compiler includes this before each C and C++ file of a target of hocket_instrument().
 *
 * In these files, instructions that read the processor's time stamp counter become calls of Hocket, which shows its
 * virtual clock to bodies (interpose/unmodified/libc/time_stamps.cpp). The assembler prefers a macro to an instruction
 * of the same name. So this works for inline assembly as well as for intrinsic functions, which g++ writes out
 * as text. Clang does not, so there the intrinsic functions are replaced, too. */
#if defined(__x86_64__)
/* The code around the instruction may keep variables in the 128 bytes below the stack pointer, and flags; so the
 * stack pointer is moved by lea. It is encoded by hand because its syntax may be AT&T's or Intel's. */
__asm__(".macro hocket_call_for_time_stamp function:req\n\t"
        ".byte 0x48, 0x8d, 0x64, 0x24, 0x80\n\t" /* lea -128(%rsp), %rsp */
        "call \\function\n\t"
        ".byte 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0\n" /* lea 128(%rsp), %rsp */
        ".endm\n"
        ".macro rdtsc\n\thocket_call_for_time_stamp hocket_rdtsc\n.endm\n"
        ".macro rdtscp\n\thocket_call_for_time_stamp hocket_rdtscp\n.endm");

#ifdef __clang__
#ifdef __cplusplus
extern "C" {
#endif
unsigned long long hocket_time_stamp(void);
unsigned long long hocket_time_stamp_and_processor(unsigned* processor);
#ifdef __cplusplus
}
#endif
#define __rdtsc() hocket_time_stamp()
#define __builtin_ia32_rdtsc() hocket_time_stamp()
#define __builtin_ia32_rdtscp(processor) hocket_time_stamp_and_processor(processor)
#define __builtin_readcyclecounter() hocket_time_stamp()
#endif
#endif
