// Random programs whose threads wait for times and for each other by polling in all sorts of ways, and which
// all come to an end in a fair world: nothing may be said against them.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <ostream>
#include <vector>

#include "scheduler/strategies/random_bits.hpp"

#include "tests/support/bodies.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;

enum class Way : std::uint8_t {
  sleeps,
  yields,
  sleeps_under_mutex,  // looks under a mutex, that is, and sleeps without it
  yields_under_mutex,
  waits_on_condition,
  acquires_for,
  locks_for,
};
constexpr unsigned kWays = 7;

/// What a thread does: wait for the time or for a stage of another thread that is further on, then let those
/// go on that wait for this stage.
struct Stage {
  bool is_for_time = false;
  unsigned awaited = 0;  ///< the stage, by number; the time, in milliseconds
  Way way = Way::sleeps;
  unsigned period = 1;  ///< milliseconds
};
constexpr unsigned kStages = 2;  ///< of each thread
using Polling = std::vector<std::array<Stage, kStages>>;

std::ostream& operator<<(std::ostream& out, const Polling& program) {
  for (std::size_t t = 0; t < program.size(); ++t) {
    for (unsigned s = 0; s < kStages; ++s) {
      const Stage& stage = program[t][s];
      out << "stage " << t + s * program.size() << ", of thread " << t << ": waits for "
          << (stage.is_for_time ? "time " : "stage ") << stage.awaited << " in way "
          << static_cast<unsigned>(stage.way) << " with period " << stage.period << "\n";
    }
  }
  return out;
}

/// Stages are numbered so that each waits for lower ones only: first stages of all threads, then second ones.
Polling polling(std::uint64_t seed) {
  RandomBits random(seed);
  Polling program(2 + random.below(2));
  for (unsigned s = 0; s < kStages; ++s) {
    for (unsigned t = 0; t < program.size(); ++t) {
      const auto number = static_cast<unsigned>(t + s * program.size());
      Stage& stage = program[t][s];
      stage.is_for_time = number == 0 || random.below(3) == 0;
      stage.awaited = static_cast<unsigned>(random.below(stage.is_for_time ? 5 : number));
      stage.way = static_cast<Way>(random.below(kWays));
      stage.period = 1 + static_cast<unsigned>(random.below(3));
    }
  }
  return program;
}

/// Something that comes true once, seen in every way.
class Event {
 public:
  void wait(Way way, std::chrono::milliseconds period) {
    switch (way) {
      case Way::sleeps:
        while (!flag_.load()) this_thread::sleep_for(period);
        break;
      case Way::yields:
        while (!flag_.load()) yield();
        break;
      case Way::sleeps_under_mutex:
        while (!has_come()) this_thread::sleep_for(period);
        break;
      case Way::yields_under_mutex:
        while (!has_come()) yield();
        break;
      case Way::waits_on_condition: {
        std::unique_lock lock(mutex_);
        while (!condition_.wait_for(lock, period, [this] { return has_come_; })) {
        }
        break;
      }
      case Way::acquires_for:
        while (!semaphore_.try_acquire_for(period)) {
        }
        break;
      case Way::locks_for:
        while (!has_come()) {
          if (gate_.try_lock_for(period)) {  // several do, and then sleep with it
            this_thread::sleep_for(period);
            gate_.unlock();
          }
        }
        break;
    }
  }
  void set() {
    {
      const std::lock_guard lock(mutex_);
      has_come_ = true;
    }
    flag_.store(true);
    semaphore_.release(8);
  }

 private:
  bool has_come() {
    const std::lock_guard lock(mutex_);
    return has_come_;
  }

  atomic<bool> flag_{false};
  counting_semaphore<> semaphore_{0};
  timed_mutex gate_;
  mutex mutex_;
  condition_variable condition_;
  bool has_come_ = false;
};

void wait_until(std::chrono::milliseconds time, Way way, std::chrono::milliseconds period, mutex& shared) {
  const auto has_come = [&] { return steady_clock::now().time_since_epoch() >= time; };
  switch (way) {
    case Way::sleeps:
    case Way::yields:  // lets no time pass
      while (!has_come()) this_thread::sleep_for(period);
      break;
    case Way::waits_on_condition: {
      condition_variable never;
      std::unique_lock lock(shared);
      while (!has_come()) never.wait_for(lock, period);
      break;
    }
    case Way::locks_for:
    case Way::yields_under_mutex:
      this_thread::sleep_until(steady_clock::time_point(time));
      break;
    default:
      for (;;) {
        {
          const std::lock_guard lock(shared);
          if (has_come()) return;
        }
        this_thread::sleep_for(period);
      }
  }
}

void run(const Polling& program) {
  mutex shared;
  std::vector<Event> events(program.size() * kStages);
  in_parallel_each(static_cast<unsigned>(program.size()), [&](unsigned t) {
    for (unsigned s = 0; s < kStages; ++s) {
      const Stage& stage = program[t][s];
      const std::chrono::milliseconds period(stage.period);
      if (stage.is_for_time) {
        wait_until(std::chrono::milliseconds(stage.awaited), stage.way, period, shared);
      } else {
        events[stage.awaited].wait(stage.way, period);
      }
      events[t + s * program.size()].set();
    }
  });
}

TEST(PollingPrograms, ThatComeToAnEndAreToldOfUnderNoStrategy) {
  std::uint64_t fair = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Polling program = polling(seed);
    for (const char* strategy :
        {"icb", "dfs", "delay", "random", "pct", "pos", "urw", "sticky", "mix", "cb-por"}) {
      Options options = quietly(strategy);
      options.max_executions = 40;
      options.max_steps = 3000;
      options.seed = seed;
      const Report report = explore(
          "polls", [&] { run(program); }, options);
      ASSERT_FALSE(report.failed()) << strategy << " of seed " << seed << "\n" << program << report;
      fair += report.fair ? 1 : 0;
    }
  }
  EXPECT_GT(fair, 50U);
}

}  // namespace

}  // namespace hocket::test
