// Bodies whose executions end in every possible way, for tests and soaks that observe the memory of the
// process. They are written for Hocket's types and for those of the standard library under control.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <memory>
#include <mutex>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket::test {

struct HocketTypes {
  using Mutex = mutex;
  using Semaphore = counting_semaphore<>;
  using Number = atomic<int>;
  using Thread = thread;
};
struct StandardTypes {
  using Mutex = std::mutex;
  using Semaphore = std::counting_semaphore<>;
  using Number = std::atomic<int>;
  using Thread = std::thread;
};

/// What a thread owns when its execution is ended: several blocks of heap memory.
struct Holding {
  std::vector<int> numbers = std::vector<int>(100, 1);
  std::string text = std::string(200, 'x');
  std::unique_ptr<std::array<char, 500>> block = std::make_unique<std::array<char, 500>>();
};

template <class Types>
void body_that_passes() {
  typename Types::Mutex m;
  int n = 0;
  const auto work = [&] {
    const Holding heap;
    const std::lock_guard guard(m);
    ++n;
  };
  typename Types::Thread one(work);
  typename Types::Thread other(work);
  one.join();
  other.join();
}

template <class Types>
void body_that_deadlocks() {
  typename Types::Mutex a;
  typename Types::Mutex b;
  typename Types::Semaphore both{0};
  const auto work = [&](auto& first, auto& second) {
    const Holding heap;
    const std::lock_guard one(first);
    both.release();
    both.acquire();
    both.acquire();
    const Holding more;
    const std::lock_guard other(second);
  };
  typename Types::Thread one([&] { work(a, b); });
  typename Types::Thread other([&] { work(b, a); });
  one.join();
  other.join();
}

template <class Types>
void body_that_throws() {
  typename Types::Number x{0};
  const auto work = [&](bool throws) {
    const Holding heap;
    x.fetch_add(1);
    if (throws) throw std::runtime_error(std::string(100, 'e'));
    x.fetch_add(1);
  };
  typename Types::Thread one([&] { work(true); });
  typename Types::Thread other([&] { work(false); });
  one.join();
  other.join();
}

template <class Types>
void body_that_is_dropped() {
  typename Types::Mutex m;
  typename Types::Number x{0};
  const auto work = [&](bool drops) {
    const Holding heap;
    const std::lock_guard guard(m);
    x.fetch_add(1);
    assume(!drops);
  };
  typename Types::Thread one([&] { work(true); });
  typename Types::Thread other([&] { work(false); });
  one.join();
  other.join();
}

/// One thread is ended inside a noexcept function, owning heap memory and a lock; the other awaits the lock.
template <class Types>
void body_that_is_cut_in_noexcept() {
  typename Types::Mutex m;
  typename Types::Number x{0};
  struct Cut {
    static void here(typename Types::Mutex& m, typename Types::Number& x, Holding heap) noexcept {
      const std::lock_guard guard(m);
      const Holding more = std::move(heap);
      for (int n = 0; n < 3; ++n) x.fetch_add(1);
    }
  };
  typename Types::Thread one([&] { Cut::here(m, x, Holding{}); });
  typename Types::Thread other([&] { Cut::here(m, x, Holding{}); });
  const Holding heap;
  while (x.load() < 2) hocket::yield();
  check(false, "cut the others");
  one.join();
  other.join();
}

struct Ending {
  const char* name;
  void (*body)();
};

template <class Types>
constexpr std::array<Ending, 5> kEndings{{
    {"Passes", body_that_passes<Types>},
    {"Deadlocks", body_that_deadlocks<Types>},
    {"Throws", body_that_throws<Types>},
    {"IsDropped", body_that_is_dropped<Types>},
    {"IsCutInNoexcept", body_that_is_cut_in_noexcept<Types>},
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

/// Runs random executions of the body and continues after failures.
inline Report run_again_and_again(const Ending& ending, std::uint64_t executions, Options options = {}) {
  options.save_schedules = false;
  options.try_saved = false;
  options.strategy = "random";
  options.max_executions = executions;
  options.keep_going = true;
  return explore(ending.name, ending.body, options);
}

}  // namespace hocket::test
