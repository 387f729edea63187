/* The compiler includes this before each C and C++ file of a target of hocket_instrument().
 *
 * In these files, instructions that read the processor's time stamp counter become calls of Hocket, which shows its
 * virtual clock to bodies (interpose/unmodified/libc/time_stamps.cpp). The assembler prefers a macro to an instruction
 * of the same name. So this works for inline assembly as well as for intrinsic functions, which g++ writes out
 * as text. Clang does not, so there the intrinsic functions are replaced, too. */
#if defined(__x86_64__)
/* Such code is compiled without variables below the stack pointer (-mno-red-zone), where the call's return address goes. */
__asm__(".macro rdtsc\n\tcall hocket_rdtsc\n.endm\n"
        ".macro rdtscp\n\tcall hocket_rdtscp\n.endm");

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
