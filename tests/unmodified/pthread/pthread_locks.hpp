// Locks of POSIX and of stdio with the interface that those of the standard have, for bodies that are the
// same with all of them.
#pragma once

#include <cerrno>
#include <cstdio>

#include <pthread.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

/// Whether `error`, the result of a call that tries, says that it has got what it tried for.
inline bool is_got(int error, int otherwise = EBUSY) {
  check(error == 0 || error == otherwise);
  return error == 0;
}

class PthreadMutex {
 public:
  explicit PthreadMutex(int type = PTHREAD_MUTEX_NORMAL) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    check(pthread_mutex_init(&mutex_, &attributes) == 0);
    pthread_mutexattr_destroy(&attributes);
  }
  ~PthreadMutex() { check(pthread_mutex_destroy(&mutex_) == 0); }
  PthreadMutex(const PthreadMutex&) = delete;
  PthreadMutex& operator=(const PthreadMutex&) = delete;

  void lock() { check(pthread_mutex_lock(&mutex_) == 0); }
  bool try_lock() { return is_got(pthread_mutex_trylock(&mutex_)); }
  void unlock() { check(pthread_mutex_unlock(&mutex_) == 0); }
  pthread_mutex_t* get() { return &mutex_; }

 private:
  pthread_mutex_t mutex_;
};

/// One that no function has made.
struct StaticPthreadMutex {
  void lock() { check(pthread_mutex_lock(&mutex) == 0); }
  bool try_lock() { return is_got(pthread_mutex_trylock(&mutex)); }
  void unlock() { check(pthread_mutex_unlock(&mutex) == 0); }

  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

class PthreadSpinLock {
 public:
  PthreadSpinLock() { check(pthread_spin_init(&lock_, PTHREAD_PROCESS_PRIVATE) == 0); }
  ~PthreadSpinLock() { check(pthread_spin_destroy(&lock_) == 0); }
  PthreadSpinLock(const PthreadSpinLock&) = delete;
  PthreadSpinLock& operator=(const PthreadSpinLock&) = delete;

  void lock() { check(pthread_spin_lock(&lock_) == 0); }
  bool try_lock() { return is_got(pthread_spin_trylock(&lock_)); }
  void unlock() { check(pthread_spin_unlock(&lock_) == 0); }

 private:
  pthread_spinlock_t lock_;
};

class PthreadRwlock {
 public:
  explicit PthreadRwlock(int kind = PTHREAD_RWLOCK_DEFAULT_NP) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, kind);
    check(pthread_rwlock_init(&lock_, &attributes) == 0);
    pthread_rwlockattr_destroy(&attributes);
  }
  ~PthreadRwlock() { check(pthread_rwlock_destroy(&lock_) == 0); }
  PthreadRwlock(const PthreadRwlock&) = delete;
  PthreadRwlock& operator=(const PthreadRwlock&) = delete;

  void lock() { check(pthread_rwlock_wrlock(&lock_) == 0); }
  bool try_lock() { return is_got(pthread_rwlock_trywrlock(&lock_)); }
  void unlock() { check(pthread_rwlock_unlock(&lock_) == 0); }
  void lock_shared() { check(pthread_rwlock_rdlock(&lock_) == 0); }
  bool try_lock_shared() { return is_got(pthread_rwlock_tryrdlock(&lock_)); }
  void unlock_shared() { unlock(); }
  pthread_rwlock_t* get() { return &lock_; }

 private:
  pthread_rwlock_t lock_;
};

/// One whose writers come first, which is modelled in another way.
struct WritersFirstRwlock : PthreadRwlock {
  WritersFirstRwlock() : PthreadRwlock(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) {}
};

/// The lock of a stream, which is recursive.
class StreamLock {
 public:
  StreamLock() = default;
  ~StreamLock() { std::fclose(stream_); }
  StreamLock(const StreamLock&) = delete;
  StreamLock& operator=(const StreamLock&) = delete;

  void lock() { flockfile(stream_); }
  bool try_lock() { return ftrylockfile(stream_) == 0; }
  void unlock() {
    std::fprintf(stream_, "a line");
    funlockfile(stream_);
  }

 private:
  std::FILE* stream_ = std::fopen("/dev/null", "w");
};

}  // namespace unmodified
