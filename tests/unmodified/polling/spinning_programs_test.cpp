// Small programs that spin as real ones do: locks made by hand, and pools whose workers look for work before
// they block. The figures are in docs/unmodified/controlled.md.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <hocket/hocket.hpp>

#include "tests/support/row_name.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::spinning_programs {

namespace {

using namespace std::chrono_literals;

/// Two threads that are in a section, each once.
template <class Lock>
void exclude() {
  Lock lock;
  int inside = 0;
  int count = 0;
  const auto enter = [&](unsigned self) {
    lock.lock(self);
    check(++inside == 1, "two are inside");
    ++count;
    --inside;
    lock.unlock(self);
  };
  in_parallel([&] { enter(0); }, [&] { enter(1); });
  check(count == 2, "one is lost");
}

class TicketLock {
 public:
  void lock(unsigned /*self*/) {
    const unsigned mine = next_.fetch_add(1, std::memory_order_relaxed);
    while (serving_.load(std::memory_order_acquire) != mine) {
    }
  }
  void unlock(unsigned /*self*/) {
    serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  std::atomic<unsigned> next_{0};
  std::atomic<unsigned> serving_{0};
};

/// Takes its claim back and waits when the other thread has one, too, and it is not its turn.
class Dekker {
 public:
  void lock(unsigned self) {
    claims_[self] = true;
    while (claims_[1 - self]) {
      if (turn_ == self) continue;
      claims_[self] = false;
      while (turn_ != self) {
      }
      claims_[self] = true;
    }
  }
  void unlock(unsigned self) {
    turn_ = 1 - self;
    claims_[self] = false;
  }

 private:
  std::array<std::atomic<bool>, 2> claims_{};
  std::atomic<unsigned> turn_{0};
};

/// Counts in a word how often it was written, odd while it is; readers try again.
class Seqlock {
 public:
  void write(int first, int second) {
    std::uint32_t before = sequence_.load();
    while ((before & 1U) != 0 || !sequence_.compare_exchange_weak(before, before + 1))
      before = sequence_.load();
    first_ = first;
    second_ = second;
    sequence_.fetch_add(1);
  }
  std::pair<int, int> read() const {
    for (;;) {
      const std::uint32_t before = sequence_.load();
      const std::pair<int, int> found{first_.load(), second_.load()};
      if ((before & 1U) == 0 && sequence_.load() == before) return found;
    }
  }

 private:
  std::atomic<std::uint32_t> sequence_{0};
  std::atomic<int> first_{0};
  std::atomic<int> second_{0};
};

void write_and_read() {
  Seqlock lock;
  in_parallel([&] { lock.write(1, 1); }, [&] { lock.write(2, 2); },
      [&] {
        const auto [first, second] = lock.read();
        check(first == second, "a torn read");
      });
}

/// Lamport's bakery, as it was written before there were atomics.
class Bakery {
 public:
  void lock(unsigned self) {
    is_choosing_[self] = 1;
    const int highest = numbers_[0] > numbers_[1] ? numbers_[0] : numbers_[1];
    numbers_[self] = highest + 1;
    is_choosing_[self] = 0;
    const unsigned other = 1 - self;
    while (is_choosing_[other] != 0) {
    }
    while (numbers_[other] != 0 &&
           (numbers_[other] < numbers_[self] || (numbers_[other] == numbers_[self] && other < self))) {
    }
  }
  void unlock(unsigned self) { numbers_[self] = 0; }

 private:
  volatile int is_choosing_[2] = {0, 0};
  volatile int numbers_[2] = {0, 0};
};

using Task = std::function<void()>;

/// Each worker has a queue of its own. It looks there, steals from others, looks for work for a while, and
/// blocks. Who submits a task picks a queue by a counter, until it gets one without having to wait.
class StealingPool {
 public:
  /// `looks`: so many for work, between two looks at the clock.
  StealingPool(unsigned workers, int looks) : queues_(workers), looks_(looks) {
    for (unsigned n = 0; n < workers; ++n) threads_.emplace_back([this, n] { run(n); });
  }
  ~StealingPool() {
    for (Queue& queue : queues_) {
      const std::lock_guard lock(queue.mutex);
      queue.is_over = true;
      queue.filled.notify_one();
    }
    for (std::thread& thread : threads_) thread.join();
  }
  StealingPool(const StealingPool&) = delete;
  StealingPool& operator=(const StealingPool&) = delete;

  void submit(Task task) {
    for (;;) {
      Queue& queue = queues_[next_.fetch_add(1) % queues_.size()];
      if (!queue.mutex.try_lock()) continue;
      queue.tasks.push_back(std::move(task));
      ++queue.size;
      queue.mutex.unlock();
      queue.filled.notify_one();
      return;
    }
  }

 private:
  struct Queue {
    std::mutex mutex;
    std::condition_variable filled;
    std::deque<Task> tasks;
    std::atomic<int> size{0};
    bool is_over = false;
  };

  static bool take(Queue& queue, Task& task) {
    const std::lock_guard lock(queue.mutex);
    if (queue.tasks.empty()) return false;
    task = std::move(queue.tasks.front());
    queue.tasks.pop_front();
    --queue.size;
    return true;
  }
  static bool steal(Queue& queue, Task& task) { return queue.size.load() > 0 && take(queue, task); }

  bool spin_for_work(const Queue& queue) const {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < 1ms) {
      for (int n = 0; n < looks_; ++n) {
        if (queue.size.load() > 0) return true;
      }
      std::this_thread::yield();
    }
    return false;
  }

  void run(unsigned self) {
    Queue& own = queues_[self];
    Task task;
    for (;;) {
      if (take(own, task) || steal(queues_[(self + 1) % queues_.size()], task)) {
        task();
      } else if (!spin_for_work(own)) {
        std::unique_lock lock(own.mutex);
        own.filled.wait(lock, [&] { return own.is_over || !own.tasks.empty(); });
        if (own.is_over && own.tasks.empty()) return;
      }
    }
  }

  std::deque<Queue> queues_;
  int looks_;
  std::vector<std::thread> threads_;
  std::atomic<unsigned> next_{0};
};

template <unsigned kWorkers, int kLooks, int kTasks>
void steal_work() {
  std::atomic<int> done{0};
  {
    StealingPool pool(kWorkers, kLooks);
    for (int n = 0; n < kTasks; ++n) pool.submit([&] { done.fetch_add(1); });
  }
  check(done.load() == kTasks, "a task was not done");
}

/// A worker spins, then yields, then parks on a word.
class ParkingWorker {
 public:
  ParkingWorker() : thread_([this] { run(); }) {}
  ~ParkingWorker() {
    post(kOver);
    thread_.join();
  }
  ParkingWorker(const ParkingWorker&) = delete;
  ParkingWorker& operator=(const ParkingWorker&) = delete;

  void post(int task) {
    int nothing = kNothing;
    while (!task_.compare_exchange_weak(nothing, task)) {
      nothing = kNothing;
      std::this_thread::yield();
    }
    if (is_parked_.load()) {
      wakes_.fetch_add(1);
      wakes_.notify_one();
    }
  }
  [[nodiscard]] int sum() const { return sum_.load(); }

  static constexpr int kOver = -1;

 private:
  static constexpr int kNothing = 0;

  int wait() {
    for (int n = 0; n < 100; ++n) {
      if (task_.load() != kNothing) return task_.exchange(kNothing);
    }
    for (int n = 0; n < 10; ++n) {
      if (task_.load() != kNothing) return task_.exchange(kNothing);
      std::this_thread::yield();
    }
    for (;;) {
      const int seen = wakes_.load();
      is_parked_ = true;
      if (task_.load() == kNothing) wakes_.wait(seen);
      is_parked_ = false;
      if (const int task = task_.exchange(kNothing); task != kNothing) return task;
    }
  }
  void run() {
    for (int task = wait(); task != kOver; task = wait()) sum_.fetch_add(task);
  }

  std::atomic<int> task_{kNothing};
  std::atomic<int> wakes_{0};
  std::atomic<bool> is_parked_{false};
  std::atomic<int> sum_{0};
  std::thread thread_;
};

void park() {
  ParkingWorker worker;
  worker.post(1);
}

struct Program {
  const char* name;
  void (*body)();
  unsigned bound;
  bool has_volatiles = false;
};

class SpinningPrograms : public ::testing::TestWithParam<Program> {};

TEST_P(SpinningPrograms, Pass) {
  const Program& program = GetParam();
  for (const char* const strategy : {"icb", "auto"}) {
    hocket::Options options = with(strategy, program.bound);
    if (program.has_volatiles) {
      options.plain_steps = true;
      options.detect = options.detect.without(hocket::Detector::races);
    }
    const hocket::Report report = explored(program.body, options);
    std::cout << program.name << ", " << strategy << ", bound " << program.bound << ": " << report.classes
              << " classes, " << report.executions << " executions, " << report.steps << " steps, "
              << report.seconds << " s\n";
    if (!report.note.empty()) std::cout << "  " << report.note << '\n';
  }
}

INSTANTIATE_TEST_SUITE_P(All, SpinningPrograms,
    ::testing::Values(Program{"TicketLock", exclude<TicketLock>, 3}, Program{"Dekker", exclude<Dekker>, 3},
        Program{"Seqlock", write_and_read, 2}, Program{"Bakery", exclude<Bakery>, 3, true},
        Program{"StealingPool", steal_work<2, 256, 1>, 0},
        Program{"PoolOfOneWorker", steal_work<1, 256, 1>, 1}, Program{"ParkingWorker", park, 1}),
    [](const auto& each) { return each.param.name; });

}  // namespace

}  // namespace unmodified::spinning_programs
