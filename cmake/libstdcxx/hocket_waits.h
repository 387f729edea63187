// How the standard library's types wait in instrumented code: std::atomic, std::counting_semaphore, std::latch and
// std::barrier.
//
// libstdc++ looks at an atomic some sixteen times, and yields in between, before it sleeps in a futex; its semaphores,
// latches and barriers are made of that. Under Hocket each look would be a step, so that small programs would have
// hundreds of thousands of schedules, and a lost notification would cost as many preemptions as there are looks. So
// hocket_instrument() puts this folder before the library's: each wait is one operation that Hocket knows, as it is for
// the types of hocket::. The headers here fit one version of libstdc++; with another they are the library's own.
#pragma once

#include <bits/c++config.h>

#if __cplusplus > 201703L && _GLIBCXX_RELEASE == 12
#define HOCKET_KNOWS_WAITS 1
#elif __cplusplus > 201703L
/// Hocket finds it in the program, and does not warn of the library's own waits.
extern "C" {
[[__gnu__::__weak__]] char hocket_waits_are_the_librarys = 1;
}
#endif

// Defined in Hocket. `order` is a memory order as in __ATOMIC_SEQ_CST.
extern "C" {
/// The thread enters a function that consists of several operations, and leaves it: reports show its name,
/// "latch.wait", in place of theirs. The first returns whether to call the second.
bool hocket_std_enter(const char* function);
void hocket_std_leave() noexcept;
/// Waits while the 1, 2, 4 or 8 bytes at `at`, taken as a number and masked, are `old`.
void hocket_std_wait(const volatile void* at, std::size_t bytes, unsigned long mask, unsigned long old, int order);
/// Waits until all bits of the word are 0.
void hocket_std_wait_for_zero(const volatile int* at, int order);
void hocket_std_notify(const volatile void* at, std::size_t bytes, bool all);
/// To be called after those who wait for an atomic that is no word were notified in another way: it must exist.
void hocket_std_notified(const volatile void* at, std::size_t bytes);
/// Notifies all that wait for a latch or a barrier. It may be gone: who has seen its last phase may destroy it.
void hocket_std_complete(const volatile void* at, std::size_t bytes);
/// Between the two, atomic loads are no steps; the second returns the order of the last one.
void hocket_std_begin_order() noexcept;
int hocket_std_end_order() noexcept;

/// A semaphore begins its life with the count that it holds.
void hocket_std_semaphore_begin(int* count) noexcept;
void hocket_std_semaphore_acquire(int* count);
bool hocket_std_semaphore_try_acquire(int* count);
/// `nanoseconds`: how long to wait; of `until`: the time on steady_clock (is_steady) or system_clock when to give up.
bool hocket_std_semaphore_try_acquire_for(int* count, long nanoseconds);
bool hocket_std_semaphore_try_acquire_until(int* count, bool is_steady, long nanoseconds);
void hocket_std_semaphore_release(int* count, long by, long max);
/// More have arrived at the latch or the barrier than it expects.
void hocket_std_too_many_arrive(const volatile void* at, std::size_t bytes);
}

class __hocket_function {
 public:
  explicit __hocket_function(const char* __name) : _M_leaves(hocket_std_enter(__name)) {}
  __hocket_function(const __hocket_function&) = delete;
  __hocket_function& operator=(const __hocket_function&) = delete;
  ~__hocket_function() {
    if (_M_leaves) hocket_std_leave();
  }

 private:
  bool _M_leaves;
};
