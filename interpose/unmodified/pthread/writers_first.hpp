// Reader-writer locks of the kind PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP: while a writer waits, no
// reader gets the lock, not even one that has it.
#pragma once

#include <cstdint>

#include <pthread.h>

#include "../shadow/models.hpp"

namespace hocket::unmodified::writers_first {

bool is_of_kind(const pthread_rwlock_t* lock);

/// What the functions return for such a lock. `nanoseconds`: how long they wait; 0: not at all;
/// kForever.
int take(runtime::SharedMutex& lock, bool is_shared, std::int64_t nanoseconds, int error);
int give_back(runtime::SharedMutex& lock);

/// Called at the beginning of an execution.
void forget();

}  // namespace hocket::unmodified::writers_first
