// Common parts of the tests of searches: options that do not touch the disk, and threads that all exist
// before their first operation.
#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket::test {

/// These options, under which the search neither writes schedules nor looks for saved ones.
inline Options quietly(Options options = {}) {
  options.save_schedules = false;
  options.try_saved = false;
  return options;
}

/// Such options with a strategy.
template <std::convertible_to<std::string> Strategy>
Options quietly(const Strategy& strategy) {
  return quietly({.strategy = strategy});
}

/// The same with a strategy, up to so many preemptions.
inline Options with(const std::string& strategy, unsigned bound = unbounded) {
  return quietly({.strategy = strategy, .max_preemptions = bound});
}

/// The same with the strategy that searches have.
inline Options within(unsigned bound) {
  return with(Options{}.strategy, bound);
}

/// The same options, with which the search explores everything.
inline Options exhaustively(Options options = {}) {
  options.max_preemptions = unbounded;
  return quietly(std::move(options));
}

/// What a search reports of a body whose name does not matter.
inline Report report_of(const Options& options, const std::function<void()>& body) {
  return explore("body", body, options);
}

/// Runs each function on its own Thread and joins all threads; the body itself does nothing else.
template <class Thread, class... Functions>
void in_parallel_as(Functions... functions) {
  std::array<Thread, sizeof...(Functions)> threads{Thread(std::move(functions))...};
  for (Thread& thread : threads) thread.join();
}
template <class... Functions>
void in_parallel(Functions... functions) {
  in_parallel_as<hocket::thread>(std::move(functions)...);
}

/// Does the same with `count` threads, which run function(0), function(1), …
template <class Function>
void in_parallel_each(unsigned count, const Function& function) {
  std::vector<hocket::thread> threads;
  threads.reserve(count);
  for (unsigned n = 0; n < count; ++n) threads.emplace_back([&function, n] { function(n); });
  for (hocket::thread& thread : threads) thread.join();
}

inline void three_threads_of_three_increments_of_two() {
  atomic<int> x{0};
  atomic<int> y{0};
  in_parallel_each(3, [&](unsigned n) {
    for (int i = 0; i < 3; ++i) (n == 0 ? x : y).fetch_add(1);
  });
}

/// One preemption is enough for the class that fails, however it is met.
inline void fails_with_one_preemption() {
  atomic<int> x{0};
  atomic<int> noise{0};
  in_parallel(
      [&] {
        noise.fetch_add(1);
        x.store(1);
        x.store(2);
        noise.fetch_add(1);
      },
      [&] {
        noise.fetch_add(1);
        check(x.load() != 1, "seen in between");
        noise.fetch_add(1);
      });
}

/// A body with a loop that spins until another thread has stored.
inline void spin_with_a_yield() {
  atomic<bool> ready{false};
  in_parallel(
      [&] {
        while (!ready.load()) yield();
      },
      [&] { ready.store(true); });
}

/// For a thread that never reaches an operation.
inline void loop_on_plain_data() {
  volatile bool ready = false;
  while (!ready) {
  }
}

}  // namespace hocket::test
