// The functions of pthread mutexes that condition variables need.
#pragma once

#include <pthread.h>

#include "../shadow/models.hpp"

namespace hocket::unmodified {

runtime::Mutex& mutex_of(pthread_mutex_t* mutex);

/// Like pthread_mutex_lock, in a body. Returns 0 or an error number.
int lock(pthread_mutex_t* mutex);

}  // namespace hocket::unmodified
