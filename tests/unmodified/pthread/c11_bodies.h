/* Bodies of C11: what <stdatomic.h> and <threads.h> have, compiled as C. Each returns 0 if it is right. */
#ifndef HOCKET_TESTS_UNMODIFIED_C11_BODIES_H
#define HOCKET_TESTS_UNMODIFIED_C11_BODIES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Two threads that increment an _Atomic twice each. */
int c11_increments(void);
/* The same with a load and a store: an increment may be lost, which is not 0. */
int c11_lost_increment(void);
/* A message passed by atomic_thread_fence and relaxed accesses. */
int c11_fences(void);
/* Two sections guarded by an atomic_flag. */
int c11_flag(void);
/* Two threads that change plain data. */
int c11_race(void);
/* A mtx_t, a cnd_t, call_once and a tss_t. */
int c11_threads(void);
/* What one is told that tries for a mutex, of each type, while another holds it. */
int c11_tries(void);
/* Waits for nobody until a time. */
int c11_times(void);
/* Threads that end by thrd_exit, are detached, are woken all at once. */
int c11_ends(void);
/* The processor's time stamp counter, where there is one. */
unsigned long long c11_time_stamp(void);

#ifdef __cplusplus
}
#endif

#endif
