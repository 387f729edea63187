// Code that waits as the library has it, to be compiled in several ways: with one of these names defined, or
// with HAS_MAIN.
#if defined(WAITS_FOR_SEMAPHORE)
#include <semaphore>

std::counting_semaphore<> permits{0};

void wait_and_wake() {
  permits.release();
  permits.acquire();
}
#elif defined(WAITS_FOR_ATOMIC)
#include <atomic>

std::atomic<int> number{0};

void wait_and_wake() {
  number.store(1);
  number.notify_one();
  number.wait(0);
}
#elif defined(WAITS_FOR_LATCH)
#include <latch>

std::latch latch{1};

void wait_and_wake() {
  latch.arrive_and_wait();
}
#endif

#if defined(HAS_MAIN)
#include <iostream>

#include <hocket/hocket.hpp>

void wait_and_wake();

int main() {
  std::cout << hocket::explore("waits", &wait_and_wake, {.save_schedules = false});
}
#endif
