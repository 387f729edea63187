// Robust mutexes (pthread_mutexattr_setrobust): if a thread ends while it holds one, the next one that locks
// it is told, and has to say that what it protects is in order again.
#pragma once

#include <pthread.h>

#include "../shadow/models.hpp"

namespace hocket::unmodified {

/// What a function that locks `mutex`, or waits with it, returns; `result` if the mutex is not robust, or its
/// owner has not ended. The running thread has the mutex, or has not got it.
int robust_result(pthread_mutex_t* mutex, runtime::Mutex& model, int result);

/// To be called before the running thread, which has the mutex, gives it back.
void will_give_back(const runtime::Mutex& model);

/// The running thread ends. It gives back its robust mutexes.
void give_robust_mutexes_back();

/// Called at the beginning of an execution.
void forget_robust_mutexes();

}  // namespace hocket::unmodified
