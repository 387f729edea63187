// The semaphore of POSIX in the manner of the standard's, for programs whose steps are counted:
// std::counting_semaphore is made of atomics and a futex, which are many steps.
#pragma once

#include <semaphore.h>

namespace unmodified {

class SystemSemaphore {
 public:
  explicit SystemSemaphore(int permits) { sem_init(&semaphore_, 0, static_cast<unsigned>(permits)); }
  ~SystemSemaphore() { sem_destroy(&semaphore_); }
  SystemSemaphore(const SystemSemaphore&) = delete;
  SystemSemaphore& operator=(const SystemSemaphore&) = delete;

  void acquire() { sem_wait(&semaphore_); }
  bool try_acquire() { return sem_trywait(&semaphore_) == 0; }
  /// A step for each permit.
  void release(int permits = 1) {
    for (int n = 0; n < permits; ++n) sem_post(&semaphore_);
  }

 private:
  sem_t semaphore_;
};

}  // namespace unmodified
