// Small programs whose happens-before classes by bound are known. They are written for any set of types: for
// Hocket's types, and for those of the standard library where these are under control.
//
// The numbers are confirmed by two model checkers that count the same classes in other ways, GenMC
// (Kokologiannakis, Vafeiadis: "GenMC: A Model Checker for Weak Memory Models") and Nidhugg (Abdulla et al.:
// "Optimal Dynamic Partial Order Reduction"), and by a brute force over all prefixes. A class is a
// Mazurkiewicz trace; its bound is the least number of preemptions among its executions, as in Musuvathi and
// Qadeer, "Partial-Order Reduction for Context-Bounded State Exploration".
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include <hocket/hocket.hpp>

#include "tests/support/effort.hpp"

namespace hocket::test {

/// The types of Hocket, for programs that are written for others, too.
struct HocketTypes {
  template <class T>
  using atomic = hocket::atomic<T>;
  using mutex = hocket::mutex;
  using condition_variable = hocket::condition_variable;
  using semaphore = hocket::counting_semaphore<>;
  using thread = hocket::thread;
};

// ---------------------------------------------------------------------------------------------------------------------
// Threads that all exist before their first operation

template <class Types>
using Atomic = typename Types::template atomic<int>;

/// Runs each function on its own thread and joins all threads; the body itself does nothing else.
template <class Types, class... Functions>
void run(Functions... functions) {
  using Thread = typename Types::thread;
  std::array<Thread, sizeof...(Functions)> threads{Thread(std::move(functions))...};
  for (Thread& thread : threads) thread.join();
}

/// Does the same with `count` threads, which run function(0), function(1), …
template <class Types, class Function>
void run_each(unsigned count, const Function& function) {
  std::vector<typename Types::thread> threads;
  threads.reserve(count);
  for (unsigned n = 0; n < count; ++n) threads.emplace_back([&function, n] { function(n); });
  for (auto& thread : threads) thread.join();
}

// ---------------------------------------------------------------------------------------------------------------------
// The programs

template <class Types>
std::function<void()> increments(unsigned threads, int each) {
  return [=] {
    Atomic<Types> x{0};
    run_each<Types>(threads, [&](unsigned) {
      for (int n = 0; n < each; ++n) x.fetch_add(1);
    });
    check(x.load() == static_cast<int>(threads) * each, "an increment is lost");
  };
}

template <class Types>
std::function<void()> locked_increments(unsigned threads, int each) {
  return [=] {
    typename Types::mutex lock;
    int count = 0;
    run_each<Types>(threads, [&](unsigned) {
      for (int n = 0; n < each; ++n) {
        const std::lock_guard guard(lock);
        ++count;
      }
    });
    check(count == static_cast<int>(threads) * each, "the mutex does not exclude");
  };
}

/// Each thread increments each variable once, in the same order.
template <class Types, std::size_t variables>
std::function<void()> increments_of_each(unsigned threads) {
  return [=] {
    std::array<Atomic<Types>, variables> v;
    run_each<Types>(threads, [&](unsigned) {
      for (Atomic<Types>& x : v) x.fetch_add(1);
    });
  };
}

/// {write x} ∥ readers × {read x; write x}, or the readers alone.
template <class Types>
std::function<void()> readers_that_write(bool with_writer, unsigned readers) {
  return [=] {
    Atomic<Types> x{0};
    const unsigned first_reader = with_writer ? 1 : 0;
    run_each<Types>(first_reader + readers, [&](unsigned n) {
      if (n >= first_reader) x.load();
      x.store(static_cast<int>(n) + 1);
    });
  };
}

template <class Types>
std::function<void()> ring_that_reads_once() {
  return [] {
    std::array<Atomic<Types>, 3> v;
    run_each<Types>(3, [&](unsigned i) {
      for (int n = 0; n < 3; ++n) v[i].store(n);
      v[(i + 1) % 3].load();
    });
  };
}

template <class Types>
std::function<void()> ring_that_reads_each_time(int rounds) {
  return [=] {
    std::array<Atomic<Types>, 3> v;
    run_each<Types>(3, [&](unsigned i) {
      for (int n = 0; n < rounds; ++n) {
        v[i].store(n);
        v[(i + 1) % 3].load();
      }
    });
  };
}

template <class Types>
void store_buffering() {
  Atomic<Types> x{0};
  Atomic<Types> y{0};
  int seen_x = 0;
  int seen_y = 0;
  run<Types>([&] { x.store(1), seen_y = y.load(); }, [&] { y.store(1), seen_x = x.load(); });
  check(seen_x + seen_y > 0, "this is not sequentially consistent");
}

template <class Types>
void message_passing() {
  Atomic<Types> x{0};
  Atomic<Types> y{0};
  run<Types>([&] { x.store(1), y.store(1); },
      [&] {
        const int flag = y.load();
        const int message = x.load();
        check(flag == 0 || message == 1, "the flag came before the message");
      });
}

template <class Types>
void load_buffering() {
  Atomic<Types> x{0};
  Atomic<Types> y{0};
  run<Types>([&] { x.load(), y.store(1); }, [&] { y.load(), x.store(1); });
}

template <class Types>
void cyclic_load_buffering() {
  std::array<Atomic<Types>, 3> v;
  run_each<Types>(3, [&](unsigned i) { v[i].load(), v[(i + 1) % 3].store(1); });
}

template <class Types>
void independent_reads_of_independent_writes() {
  Atomic<Types> x{0};
  Atomic<Types> y{0};
  run<Types>(
      [&] { x.store(1); }, [&] { y.store(1); }, [&] { x.load(), y.load(); }, [&] { y.load(), x.load(); });
}

/// One meal for each philosopher.
template <class Types, unsigned philosophers>
std::function<void()> dining(bool lower_fork_first) {
  return [=] {
    std::array<typename Types::mutex, philosophers> forks;
    run_each<Types>(philosophers, [&](unsigned i) {
      unsigned first = i;
      unsigned second = (i + 1) % philosophers;
      if (lower_fork_first && second < first) std::swap(first, second);
      const std::lock_guard one(forks[first]);
      const std::lock_guard other(forks[second]);
    });
  };
}

/// The deque of Cilk's THE protocol: the owner's pop takes the lock only in a conflict with a thief.
/// Frigo, Leiserson, Randall: "The Implementation of the Cilk-5 Multithreaded Language".
template <class Types>
class TheDeque {
 public:
  void push(int value) {
    const int tail = tail_.load();
    items_[static_cast<std::size_t>(tail)].store(value);
    tail_.store(tail + 1);
  }

  std::optional<int> pop() {
    int tail = tail_.load() - 1;
    if (tail < 0) return {};
    tail_.store(tail);
    if (head_.load() > tail) {
      tail_.store(tail + 1);
      const std::lock_guard guard(lock_);
      tail = tail_.load() - 1;
      tail_.store(tail);
      if (head_.load() > tail) {
        tail_.store(tail + 1);
        return {};
      }
    }
    return items_[static_cast<std::size_t>(tail)].load();
  }

  std::optional<int> steal() {
    const std::lock_guard guard(lock_);
    const int head = head_.load();
    head_.store(head + 1);
    if (head + 1 > tail_.load()) {
      head_.store(head);
      return {};
    }
    return items_[static_cast<std::size_t>(head)].load();
  }

 private:
  Atomic<Types> head_{0};
  Atomic<Types> tail_{0};
  std::array<Atomic<Types>, 8> items_;
  typename Types::mutex lock_;
};

template <class Types>
void the_deque() {
  TheDeque<Types> deque;
  std::array<Atomic<Types>, 4> taken;
  const auto take = [&](std::optional<int> value) {
    if (value) check(taken[static_cast<std::size_t>(*value)].fetch_add(1) == 0, "an item is taken twice");
  };
  run<Types>(
      [&] {
        for (int value = 1; value <= 3; ++value) deque.push(value);
        for (int n = 0; n < 3; ++n) take(deque.pop());
      },
      [&] {
        for (int n = 0; n < 2; ++n) take(deque.steal());
      });
}

/// Each producer puts `each` items into a queue of one place, and a consumer takes them all.
template <class Types>
std::function<void()> bounded_queue(unsigned producers, int each) {
  return [=] {
    typename Types::mutex lock;
    typename Types::condition_variable changed;
    bool is_full = false;
    run_each<Types>(producers + 1, [&](unsigned n) {
      const bool puts = n < producers;
      for (int left = puts ? each : each * static_cast<int>(producers); left > 0; --left) {
        std::unique_lock guard(lock);
        changed.wait(guard, [&] { return is_full != puts; });
        is_full = puts;
        changed.notify_all();
      }
    });
    check(!is_full, "an item is left");
  };
}

/// Threads that wait for a flag and are woken one by one.
template <class Types>
std::function<void()> waiters_woken_one_by_one(unsigned waiters) {
  return [=] {
    typename Types::mutex lock;
    typename Types::condition_variable changed;
    bool is_set = false;
    run_each<Types>(waiters + 1, [&](unsigned n) {
      std::unique_lock guard(lock);
      if (n < waiters) {
        changed.wait(guard, [&] { return is_set; });
      } else {
        is_set = true;
      }
      changed.notify_one();
    });
  };
}

/// A flag that is set without a notification, so that a thread may sleep for ever.
template <class Types>
void flag_without_a_notification() {
  typename Types::mutex lock;
  typename Types::condition_variable changed;
  bool is_set = false;
  run<Types>(
      [&] {
        std::unique_lock guard(lock);
        // NOLINTNEXTLINE(bugprone-infinite-loop): another thread sets it
        while (!is_set) changed.wait(guard);
      },
      [&] {
        const std::lock_guard guard(lock);
        is_set = true;
      });
}

/// Each thread passes `each` times through a gate that admits `permits` threads at a time.
template <class Types>
std::function<void()> gate(unsigned threads, int permits, int each) {
  return [=] {
    typename Types::semaphore free(permits);
    run_each<Types>(threads, [&](unsigned) {
      for (int n = 0; n < each; ++n) {
        free.acquire();
        free.release();
      }
    });
  };
}

/// Two threads that take turns by means of two semaphores.
template <class Types>
std::function<void()> ping_pong(int rounds) {
  return [=] {
    typename Types::semaphore ping(1);
    typename Types::semaphore pong(0);
    run<Types>(
        [&] {
          for (int n = 0; n < rounds; ++n) ping.acquire(), pong.release();
        },
        [&] {
          for (int n = 0; n < rounds; ++n) pong.acquire(), ping.release();
        });
  };
}

/// A thread that tries to acquire a permit while other threads release permits.
template <class Types>
std::function<void()> tries_beside_releases(unsigned releasers, int tries) {
  return [=] {
    typename Types::semaphore permits(0);
    run_each<Types>(releasers + 1, [&](unsigned n) {
      if (n < releasers) {
        permits.release();
      } else {
        for (int left = tries; left > 0; --left) permits.try_acquire();
      }
    });
  };
}

// ---------------------------------------------------------------------------------------------------------------------
// The tables

using Counts = std::vector<std::uint64_t>;

struct About {
  unsigned last_bound_of_icb = unbounded;  ///< at higher bounds it would run for too long
  bool one_execution_a_class = false;      ///< every step changes the class: icb runs no class twice
  unsigned deadlocked_classes = 0;
  unsigned deadlock_bound = 0;
};

struct Program {
  const char* name;
  std::function<void()> body;
  /// The number of classes whose bound is at most 0, 1, 2, …; the last number is the total.
  Counts classes;
  About about = {};
};

inline void PrintTo(const Program& program, std::ostream* out) {
  *out << program.name;
}

// clang-format off
template <class Types>
std::vector<Program> programs() {
  return {
    // Every step changes the class: there are as many executions as classes.
    {"TwoThreadsOfFiveIncrements",           increments<Types>(2, 5),          {2, 10, 42, 90, 162, 210, 242, 250, 252}, {.one_execution_a_class = true}},
    {"ThreeThreadsOfThreeIncrements",        increments<Types>(3, 3),          {6, 42, 192, 552, 1062, 1506, 1680},      {.one_execution_a_class = true}},
    {"ThreeThreadsOfTwoLockedIncrements",    locked_increments<Types>(3, 2),   {6, 24, 60, 90},                          {.one_execution_a_class = true}},
    {"ThreeThreadsOfThreeLockedIncrements",  locked_increments<Types>(3, 3),   {6, 42, 192, 552, 1062, 1506, 1680},      {.one_execution_a_class = true}},
    // In the other programs, steps commute.
    {"ThreeThreadsIncrementXAndY",           increments_of_each<Types, 2>(3),  {6, 24, 36}},
    {"FourThreadsIncrementXAndY",            increments_of_each<Types, 2>(4),  {24, 168, 432, 576}},
    {"ThreeThreadsIncrementXAndYAndZ",       increments_of_each<Types, 3>(3),  {6, 42, 120, 192, 216}},
    {"FourThreadsReadAndWrite",              readers_that_write<Types>(false, 4), {24, 168, 432, 576}},
    {"AWriterAndAReaderThatWrites",          readers_that_write<Types>(true, 1),  {2, 3}},
    {"AWriterAndTwoReadersThatWrite",        readers_that_write<Types>(true, 2),  {6, 18, 22}},
    {"AWriterAndThreeReadersThatWrite",      readers_that_write<Types>(true, 3),  {24, 132, 264, 300}},
    {"RingThatReadsOnce",                    ring_that_reads_once<Types>(),       {6, 25, 37}},
    {"RingOfThreeRounds",                    ring_that_reads_each_time<Types>(3), {6, 54, 324, 1257, 2667, 3927, 4407, 4411}, {.last_bound_of_icb = 4}},
    {"RingOfFourRounds",                     ring_that_reads_each_time<Types>(4), {6, 78, 711, 4416, 16557, 45354, 89001, 125313, 142935, 146415, 146455}, {.last_bound_of_icb = 4}},
    {"StoreBuffering",                       store_buffering<Types>,              {2, 3}},
    {"MessagePassing",                       message_passing<Types>,              {2, 3}},
    {"LoadBuffering",                        load_buffering<Types>,               {2, 3}},
    {"CyclicLoadBufferingOfThreeThreads",    cyclic_load_buffering<Types>,        {6, 7}},
    {"IndependentReadsOfIndependentWrites",  independent_reads_of_independent_writes<Types>, {14, 15}},
    {"FourPhilosophersLowerForkFirst",       dining<Types, 4>(true),              {14}},
    {"ThreePhilosophersLeftForkFirst",       dining<Types, 3>(false),             {6},  {.deadlocked_classes = 1, .deadlock_bound = 1}},
    {"FourPhilosophersLeftForkFirst",        dining<Types, 4>(false),             {14}, {.deadlocked_classes = 1, .deadlock_bound = 1}},
    {"TheDequeOfThreeItemsAndTwoSteals",     the_deque<Types>,                    {2, 15, 70, 141, 180, 182}, {.last_bound_of_icb = kRunsAllTests ? 6 : 4}},
  };
}

/// No other checker has confirmed these numbers. The evidence for them is that they are the same with every
/// strategy and with every set of types.
template <class Types>
std::vector<Program> blocking_programs() {
  return {
    {"AQueueOfOnePlace",                     bounded_queue<Types>(1, 2),            {2, 6, 8}},
    {"AQueueOfOnePlaceWithTwoProducers",     bounded_queue<Types>(2, 1),            {8, 16}},
    {"TwoWaitersWokenOneByOne",              waiters_woken_one_by_one<Types>(2),    {10}},
    {"AFlagWithoutANotification",            flag_without_a_notification<Types>,    {1}, {.deadlocked_classes = 1, .deadlock_bound = 0}},
    {"AGateForOneOfThreeThreads",            gate<Types>(3, 1, 2),                  {6, 24, 60, 90}},
    {"AGateForTwoOfThreeThreads",            gate<Types>(3, 2, 1),                  {6, 24, 48, 54}},
    {"PingPong",                             ping_pong<Types>(3),                   {1}},
    {"TriesBesideTwoReleases",               tries_beside_releases<Types>(2, 3),    {6, 18, 20}},
  };
}
// clang-format on

}  // namespace hocket::test
