// Bodies whose executions end in every possible way, for tests and soaks that observe the memory of the
// process.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket::test {

/// What a thread owns when its execution is ended: several blocks of heap memory.
struct Holding {
  std::vector<int> numbers = std::vector<int>(100, 1);
  std::string text = std::string(200, 'x');
  std::unique_ptr<std::array<char, 500>> block = std::make_unique<std::array<char, 500>>();
};

inline void body_that_passes() {
  mutex m;
  int n = 0;
  const auto work = [&] {
    const Holding heap;
    const std::lock_guard guard(m);
    ++n;
  };
  thread one(work);
  thread other(work);
  one.join();
  other.join();
}

inline void body_that_deadlocks() {
  mutex a;
  mutex b;
  counting_semaphore<> both{0};
  const auto work = [&](mutex& first, mutex& second) {
    const Holding heap;
    const std::lock_guard one(first);
    both.release();
    both.acquire();
    both.acquire();
    const Holding more;
    const std::lock_guard other(second);
  };
  thread one([&] { work(a, b); });
  thread other([&] { work(b, a); });
  one.join();
  other.join();
}

inline void body_that_throws() {
  atomic<int> x{0};
  const auto work = [&](bool throws) {
    const Holding heap;
    x.fetch_add(1);
    if (throws) throw std::runtime_error(std::string(100, 'e'));
    x.fetch_add(1);
  };
  thread one([&] { work(true); });
  thread other([&] { work(false); });
  one.join();
  other.join();
}

inline void body_that_is_dropped() {
  mutex m;
  atomic<int> x{0};
  const auto work = [&](bool drops) {
    const Holding heap;
    const std::lock_guard guard(m);
    x.fetch_add(1);
    assume(!drops);
  };
  thread one([&] { work(true); });
  thread other([&] { work(false); });
  one.join();
  other.join();
}

/// One thread is ended inside a noexcept function, owning heap memory and a lock; the other awaits the lock.
inline void body_that_is_cut_in_noexcept() {
  mutex m;
  atomic<int> x{0};
  struct Cut {
    static void here(mutex& m, atomic<int>& x, Holding heap) noexcept {
      const std::lock_guard guard(m);
      const Holding more = std::move(heap);
      for (int n = 0; n < 3; ++n) x.fetch_add(1);
    }
  };
  thread one([&] { Cut::here(m, x, Holding{}); });
  thread other([&] { Cut::here(m, x, Holding{}); });
  const Holding heap;
  while (x.load() < 2) yield();
  check(false, "cut the others");
  one.join();
  other.join();
}

struct Ending {
  const char* name;
  void (*body)();
};

inline constexpr std::array<Ending, 5> kEndings{{
    {"Passes", body_that_passes},
    {"Deadlocks", body_that_deadlocks},
    {"Throws", body_that_throws},
    {"IsDropped", body_that_is_dropped},
    {"IsCutInNoexcept", body_that_is_cut_in_noexcept},
}};

/// The bytes that the process has allocated, and the bytes of memory that it has written.
struct Memory {
  std::int64_t allocated = 0;
  std::int64_t resident = 0;
};

inline Memory memory_of_this_process() {
  malloc_trim(0);  // returns freed memory to the system
  // Exact, unlike statm, and without the pages of the program's file that are read in as it runs.
  std::ifstream file("/proc/self/smaps_rollup");
  std::int64_t resident = 0;
  for (std::string word; resident == 0 && file >> word;) {
    if (word == "Anonymous:") file >> resident;
  }
  if (resident == 0)
    throw std::runtime_error("/proc/self/smaps_rollup does not say how much memory there is");
  const auto info = mallinfo2();
  return {static_cast<std::int64_t>(info.uordblks + info.hblkhd), resident * 1024};
}

/// Runs random executions of `body` and continues after failures.
inline Report run_again_and_again(const Ending& ending, std::uint64_t executions) {
  Options options;
  options.save_schedules = false;
  options.try_saved = false;
  options.strategy = "random";
  options.max_executions = executions;
  options.keep_going = true;
  return explore(ending.name, ending.body, options);
}

}  // namespace hocket::test
