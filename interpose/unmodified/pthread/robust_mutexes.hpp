// Robust mutexes (pthread_mutexattr_setrobust): if a thread ends while it holds one, the next one that locks
// it is told, and has to say that what it protects is in order again.
#pragma once

#include <pthread.h>

#include "../shadow/models.hpp"

namespace hocket::unmodified {

inline bool is_robust(const pthread_mutex_t* mutex) {
  constexpr int kRobust = 16;
  return (mutex->__data.__kind & kRobust) != 0;
}

/// What a function that locks a robust mutex, or waits with it, returns; `result` if its owner has not ended.
/// The running thread has the mutex, or has not got it.
int result_of_robust(runtime::Mutex& model, int result);
/// The same for any mutex.
inline int robust_result(const pthread_mutex_t* mutex, runtime::Mutex& model, int result) {
  return is_robust(mutex) ? result_of_robust(model, result) : result;
}

/// To be called before the running thread, which has the robust mutex, gives it back.
void will_give_back(const runtime::Mutex& model);

/// The running thread ends. It gives back its robust mutexes.
void give_robust_mutexes_back();

/// Called at the beginning of an execution.
void forget_robust_mutexes();

}  // namespace hocket::unmodified
