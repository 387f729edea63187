// The rules for loops that poll are needed, and the tests see it: without any one of them something is lost,
// or goes on for ever. In a build of its own, which is configured with HOCKET_SABOTAGE (the preset sabotage).
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <random>
#include <shared_mutex>
#include <string>
#include <thread>

#include "runtime/terms/sabotage.hpp"

#include "tests/support/row_name.hpp"
#include "tests/unmodified/polling/poll_beside_a_reader.hpp"
#include "tests/unmodified/polling/polling_brute_force.hpp"
#include "tests/unmodified/polling/polling_program.hpp"
#include "tests/unmodified/polling/polling_searches.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::polling {

namespace {

using namespace std::chrono_literals;
using hocket::runtime::Sabotage;
using enum hocket::runtime::Sabotage;

/// Turns a fault on for the length of a scope.
class With {
 public:
  explicit With(Sabotage fault) { hocket::runtime::sabotage = fault; }
  ~With() { hocket::runtime::sabotage = Sabotage::none; }
  With(const With&) = delete;
  With& operator=(const With&) = delete;
};

/// What random programs show to be wrong. Empty: nothing.
std::string contradiction_of_random_programs(Polling (Writer::*write)()) {
  constexpr std::uint64_t kPrograms = 200;  // within which each fault must be noticed
  constexpr std::size_t kMostStates = 2'000;
  std::mt19937 random(20080607);
  for (std::uint64_t n = 0; n < kPrograms; ++n) {
    Writer writer(random);
    const Polling program = (writer.*write)();
    const std::optional<Answer> answer = answer_of(program, kMostStates);
    if (!answer) continue;
    std::string contradiction = compare(program, *answer).contradiction;
    if (!contradiction.empty()) return contradiction;
  }
  return {};
}

/// The message of the failure that a search of `body` finds. Empty: nothing.
std::string failure_in(const std::function<void()>& body, const hocket::Options& options = exhaustively()) {
  const hocket::Report report = hocket::explore("sabotaged", body, options);
  return report.failed() ? report.failures.front().message : "";
}

std::string contradiction_of_simple_programs() {
  return contradiction_of_random_programs(&Writer::program);
}
std::string contradiction_of_programs_of_all_kinds() {
  return contradiction_of_random_programs(&Writer::program_of_all_kinds);
}

/// As a library does that is not instrumented. It returns the sum.
__attribute__((noinline, no_sanitize("thread"))) int add_one(int* number) {
  return ++*number;
}

__attribute__((noinline, no_sanitize("thread"))) bool is_seven(const int& number) {
  return number == 7;
}

/// What is wrong with a poll under a lock of data that also code without hooks changes. Empty: nothing.
std::string contradiction_of_data_without_hooks() {
  static int count = 0;  // not on the stack, which is compared
  return failure_in([] {
    count = 0;
    std::mutex mutex;
    std::thread other([&] { const std::lock_guard lock(mutex); });
    for (;;) {
      const std::lock_guard lock(mutex);
      add_one(&count);
      if (count == 7) break;
    }
    other.join();
  });
}

/// A plain write in each round: the compiler would make it one after the loop.
__attribute__((noinline)) void write(int* where, int value) {
  *where = value;
}

/// What is wrong with a poll that writes data which it does not read. Empty: nothing.
std::string contradiction_of_written_data() {
  static int count = 0;  // neither of the two on the stack, which is compared
  static int last = 0;
  return failure_in([] {
    count = 0;
    std::atomic<bool> is_ready{false};
    while (!is_ready.load()) {
      write(&last, add_one(&count));
      if (is_seven(count)) break;
    }
    hocket::check(last == 7, "seven is not the last");
  });
}

/// What is wrong with a poll that counts in an atomic. Empty: nothing.
std::string contradiction_of_actions() {
  return failure_in([] {
    std::atomic<bool> is_ready{false};
    std::atomic<int> count{0};
    while (!is_ready.load() && count.fetch_add(1) != 7) {
    }
  });
}

/// What is wrong with a poll under two locks one of which another thread keeps until somebody has failed to
/// take the other one, which costs no preemption. Empty: nothing.
std::string contradiction_of_nested_locks() {
  const hocket::Report report = hocket::explore(
      "nested",
      [] {
        std::mutex outer;
        std::mutex inner;
        std::atomic<bool> polls{false};
        std::atomic<bool> keeps{false};
        bool is_over = false;
        std::thread keeper([&] {
          polls.wait(false);
          const std::lock_guard lock(inner);
          keeps = true;
          keeps.notify_one();
          keeps.wait(true);
          is_over = true;
        });
        std::thread trier([&] {
          keeps.wait(false);
          const bool is_free = outer.try_lock();
          if (is_free) outer.unlock();
          hocket::check(is_free, "the poll waits under the outer lock");
          keeps = false;
          keeps.notify_one();
        });
        polls = true;
        polls.notify_one();
        for (bool ends = false; !ends;) {
          const std::lock_guard lock(outer);
          const std::lock_guard nested(inner);
          ends = is_over;
        }
        keeper.join();
        trier.join();
      },
      within(0));
  return report.failed() ? "" : "the poll under two locks never waits for the inner one";
}

/// What is wrong with two threads that poll under one lock, which must not wake each other. Empty: nothing.
std::string contradiction_of_two_polls() {
  hocket::Options options = with("dfs");
  options.max_executions = 1'000;
  const hocket::Report report = hocket::explore(
      "two polls",
      [] {
        std::mutex mutex;
        bool is_ready = false;
        const auto poll = [&] {
          for (bool ends = false; !ends;) {
            const std::lock_guard lock(mutex);
            ends = is_ready;
          }
        };
        std::thread first(poll);
        std::thread second(poll);
        {
          const std::lock_guard lock(mutex);
          is_ready = true;
        }
        first.join();
        second.join();
      },
      options);
  return report.verdict == hocket::Verdict::passed_exhaustively ? "" : "the search does not pass";
}

/// What is wrong with a poll of two locks, each of which another thread tries to take. Empty: nothing.
std::string contradiction_of_tries() {
  constexpr unsigned kTries = 6;
  const hocket::Report report = hocket::explore(
      "tries",
      [] {
        std::array<std::mutex, 2> mutexes;
        std::atomic<bool> is_ready{false};
        std::thread other([&] {
          unsigned failed = 0;
          while (failed < kTries && !mutexes[failed % 2].try_lock()) ++failed;
          hocket::check(failed < kTries, "all have failed");  // each in another section
          mutexes[failed % 2].unlock();
          is_ready = true;
        });
        while (!is_ready) {
          for (std::mutex& mutex : mutexes) const std::lock_guard lock(mutex);
        }
        other.join();
      },
      with("cb-por"));
  return report.failed() ? "" : "no search sees all tries fail";
}

/// What is wrong with a poll that undoes its write in each round, in another section than the one where
/// somebody waits for it. Nobody need ever see it, but to say that no thread can continue is wrong. Empty:
/// nothing.
std::string contradiction_of_moments() {
  hocket::Options options = exhaustively();
  options.max_executions = 100;
  const hocket::Report report = hocket::explore(
      "moments",
      [] {
        std::mutex mutex;
        auto data = std::make_unique<int>(1);
        std::atomic<bool> is_over{false};
        std::thread watcher([&] {
          for (bool ends = false; !ends;) {
            const std::lock_guard lock(mutex);
            ends = *data == 0;
          }
          is_over = true;
        });
        while (!is_over.load()) {
          for (const int value : {0, 1}) {
            const std::lock_guard lock(mutex);
            write(data.get(), value);
          }
        }
        watcher.join();
      },
      options);
  const bool is_right =
      report.failures.empty() || report.failures.front().kind != hocket::FailureKind::livelock;
  return is_right ? "" : "the poll seems to wait";
}

/// What is wrong with a poll that gives up after many rounds, of which any number may be enough. Empty:
/// nothing.
std::string contradiction_of_long_polls() {
  constexpr unsigned kPatience = 200;
  Collected found;
  static_cast<void>(hocket::explore(
      "long polls",
      [&] {
        std::atomic<bool> is_ready{false};
        unsigned rounds = 0;
        std::thread poller([&] {
          while (rounds != kPatience && !is_ready.load()) ++rounds;
        });
        is_ready = true;
        poller.join();
        found.add(rounds);
      },
      with("cb-por")));
  return found.all().size() == kPatience + 1 ? "" : "some numbers of rounds are missing";
}

/// What is wrong with a poll that shares its inner lock with a reader who keeps it until the poll ends.
/// Empty: nothing.
std::string contradiction_of_shared_locks() {
  return failure_in(poll_beside_a_reader, within(0));
}

/// What is wrong with a poll that looks at the clock rarely, and also counts its rounds. Empty: nothing.
std::string contradiction_of_clock_rounds() {
  constexpr int kLooks = 20;
  constexpr unsigned kPatience = 6;
  bool is_counted = false;
  static_cast<void>(hocket::explore(
      "clock rounds",
      [&] {
        std::atomic<int> level{0};
        const auto end = Clock::now() + 1ms;
        for (unsigned rounds = 0; rounds != kPatience; ++rounds) {
          for (int n = 0; n != kLooks; ++n) static_cast<void>(level.load());
          if (Clock::now() >= end) return;
        }
        is_counted |= Clock::now() + 1ms == end;
      },
      within(0)));
  return is_counted ? "" : "it never gives up";
}

/// What is wrong with a poll by the clock that also ends when another thread has seen it begin. Empty:
/// nothing.
std::string contradiction_of_looks_by_clock() {
  constexpr int kLooks = 20;
  bool ends_at_once = false;
  static_cast<void>(hocket::explore(
      "looks by the clock",
      [&] {
        std::atomic<bool> has_begun{false};
        std::atomic<bool> is_over{false};
        std::thread other([&] {
          has_begun.wait(false);
          is_over = true;
        });
        const auto begin = Clock::now();
        has_begun = true;
        has_begun.notify_one();
        while (!is_over && Clock::now() - begin < 1ms) {
          for (int n = 0; n != kLooks; ++n) static_cast<void>(is_over.load());
        }
        ends_at_once |= is_over && Clock::now() == begin;
        other.join();
      },
      within(0)));
  return ends_at_once ? "" : "it never ends before time has passed";
}

/// What is wrong with two threads that keep their claims up between rounds, and so may retry for as long as
/// they take turns there. Empty: nothing.
std::string contradiction_of_kept_claims() {
  hocket::Options options = with("icb", 1);
  options.max_steps = 1'000;
  options.max_executions = 200;
  return failure_in(
      [] {
        std::array<std::atomic<int>, 2> claims{};
        const auto work = [&](std::size_t self) {
          for (claims[self] = 1; claims[1 - self] != 0; claims[self] = 1) claims[self] = 0;
          claims[self] = 0;
        };
        in_parallel([&] { work(0); }, [&] { work(1); });
      },
      options);
}

/// What is wrong with a loop that goes on while it changes something. Empty: nothing.
std::string contradiction_of_changes() {
  return failure_in([] {
    std::atomic<int> x{0};
    std::thread other([&] {
      for (int n = 0; n < 4; ++n) x.store(0);
    });
    for (int zero = 0; x.compare_exchange_strong(zero, 1);) {
    }
    other.join();
  });
}

/// What is wrong with a loop that retries, if `body(yields)` has other classes where it yields itself. Empty:
/// nothing.
std::string contradiction_of_retries(void (*body)(bool yields)) {
  const auto explored = [body](bool yields) {
    hocket::Options options = with("icb", 2);
    options.max_steps = 1'000;
    options.max_executions = 1'000;
    return hocket::explore(
        "retries", [=] { body(yields); }, options);
  };
  const hocket::Report own = explored(false);
  const hocket::Report yielding = explored(true);
  if (own.failed()) return own.failures.front().message;
  return own.classes == yielding.classes ? "" : "other classes than with yields";
}

/// What is wrong with two threads that take their claims back when they see each other's. Empty: nothing.
std::string contradiction_of_claims() {
  return contradiction_of_retries([](bool yields) {
    std::array<std::atomic<int>, 2> claims{};
    const auto work = [&](std::size_t self) {
      for (;;) {
        claims[self] = 1;
        if (claims[(self + 1) % claims.size()] == 0) break;
        claims[self] = 0;
        if (yields) std::this_thread::yield();
      }
      claims[self] = 0;
    };
    in_parallel([&] { work(0); }, [&] { work(1); });
  });
}

/// What is wrong with a loop that retries and follows another one. Empty: nothing.
std::string contradiction_of_two_loops() {
  return contradiction_of_retries([](bool yields) {
    std::atomic<int> tries{0};
    std::atomic<int> level{0};
    std::thread other([&] {
      level = 1;
      level = 2;
    });
    for (;;) {
      tries.fetch_add(1);
      if (level.load() != 0) break;
      if (yields) std::this_thread::yield();
    }
    for (;;) {
      tries.fetch_add(1);
      tries.fetch_sub(1);
      if (level.load() != 1) break;
      if (yields) std::this_thread::yield();
    }
    other.join();
  });
}

struct Fault {
  const char* name;
  Sabotage sabotage;
  std::string (*search)();  ///< that has to notice it
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

class SabotagedPolls : public ::testing::TestWithParam<Fault> {};

TEST_P(SabotagedPolls, AreNoticed) {
  const With fault(GetParam().sabotage);
  const std::string contradiction = GetParam().search();
  ASSERT_NE(contradiction, "");
  std::cout << contradiction << '\n';
}

constexpr Fault kRules[] = {
    {"RoundsThatCount", rounds_may_count, contradiction_of_simple_programs},
    {"RoundsThatWrite", rounds_may_write, contradiction_of_written_data},
    {"RoundsThatReadOtherData", rounds_may_read_other_data, contradiction_of_data_without_hooks},
    {"RoundsThatAct", rounds_may_act, contradiction_of_actions},
    {"WaitsForTheLastLook", polls_await_the_last_look, contradiction_of_simple_programs},
    {"WaitsOutsideOfHeldLocks", polls_await_held_locks, contradiction_of_nested_locks},
    {"RoundsThatWriteForAMoment", rounds_may_write_for_a_moment, contradiction_of_moments},
    {"SharedLocks", shared_locks_must_be_free, contradiction_of_shared_locks},
    {"Overlaps", overlaps_are_not_awaited, contradiction_of_programs_of_all_kinds},
    {"LongPolls", long_polls_are_alone, contradiction_of_long_polls},
    {"WaitsWithoutTime", polls_do_not_await_time, contradiction_of_simple_programs},
    {"SectionsThatCount", sections_of_polls_count, contradiction_of_two_polls},
    {"SectionsInTheWay", sections_in_the_way_are_unseen, contradiction_of_tries},
    {"CompareExchangesThatWrite", compare_exchanges_are_looks, contradiction_of_changes},
    {"ClockRoundsThatDiffer", clock_rounds_may_differ, contradiction_of_clock_rounds},
    {"ClockRoundsThatAwaitNoLooks", clock_rounds_await_the_clock, contradiction_of_looks_by_clock},
    {"YieldsInTheMiddle", retries_yield_in_their_middle, contradiction_of_claims},
    {"HeadsOfOtherLoops", retries_share_their_heads, contradiction_of_two_loops},
    {"NoSecondLook", cycles_of_retries_are_endless, contradiction_of_kept_claims},
};
INSTANTIATE_TEST_SUITE_P(Rules, SabotagedPolls, ::testing::ValuesIn(kRules), hocket::test::RowName());

class UnsabotagedPolls : public ::testing::TestWithParam<std::string (*)()> {};

TEST_P(UnsabotagedPolls, AreRight) {
  EXPECT_EQ(GetParam()(), "");
}

INSTANTIATE_TEST_SUITE_P(Searches, UnsabotagedPolls,
    ::testing::Values(contradiction_of_simple_programs, contradiction_of_programs_of_all_kinds,
        contradiction_of_moments, contradiction_of_long_polls, contradiction_of_shared_locks,
        contradiction_of_data_without_hooks, contradiction_of_written_data, contradiction_of_actions,
        contradiction_of_nested_locks, contradiction_of_two_polls, contradiction_of_tries,
        contradiction_of_clock_rounds, contradiction_of_looks_by_clock, contradiction_of_changes,
        contradiction_of_claims, contradiction_of_two_loops, contradiction_of_kept_claims));

}  // namespace

}  // namespace unmodified::polling
