// What the C library knows of the number of threads: __libc_single_threaded.
//
// In a body it must not say that there is one alone, as libstdc++ would then count references of shared_ptr
// without atomic operations. But by the same variable the C library sees that it has to prepare for threads
// when the process makes its first one: without that, setuid() ends the process by a signal later.
#pragma once

#include <pthread.h>

namespace hocket::unmodified {

/// To be called before code of a body runs.
void hide_that_thread_is_single();

/// The system's pthread_create(), to be called for each thread that is not one of a body.
int make_real_thread(
    pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*), void* argument);

}  // namespace hocket::unmodified
