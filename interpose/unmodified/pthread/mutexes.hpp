// The functions of pthread mutexes that condition variables need.
#pragma once

#include <pthread.h>

#include "../shadow/models.hpp"

namespace hocket::unmodified {

runtime::Mutex& mutex_of(pthread_mutex_t* mutex);

/// Like pthread_mutex_lock, in a body. Returns 0 or an error number.
int lock(pthread_mutex_t* mutex);

/// Another execution begins, in which no lock is taken.
void forget_locks_taken_again();

}  // namespace hocket::unmodified
