// Loops that change something in each round and never yield: a thread could run one for ever while others
// wait. They are explored as if they yielded after each round.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include <pthread.h>

#include <hocket/hocket.hpp>
#include <hocket/schedule.hpp>

#include "scheduler/schedules/schedule_file.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/folder.hpp"

#include "../support/collected.hpp"
#include "../support/std_bodies.hpp"

namespace unmodified {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void yield_if(bool yields) {
  if (yields) std::this_thread::yield();
}

/// A pool that counts its attempts to get at a queue.
int count_tries(bool yields) {
  std::mutex mutex;
  std::atomic<int> tries{0};
  int sum = 0;
  std::thread holder([&] {
    const std::lock_guard lock(mutex);
    ++sum;
  });
  for (;;) {
    tries.fetch_add(1);
    if (mutex.try_lock()) break;
    yield_if(yields);
  }
  sum = 10 * sum + 1;
  mutex.unlock();
  holder.join();
  return sum;
}

/// Two threads that take back their claims when they see each other's.
int claim(bool yields) {
  std::array<std::atomic<int>, 2> claims{};
  int order = 0;
  const auto work = [&](std::size_t self) {
    for (;;) {
      claims[self] = 1;
      if (claims[1 - self] == 0) break;
      claims[self] = 0;
      yield_if(yields);
    }
    order = 10 * order + static_cast<int>(self) + 1;
    claims[self] = 0;
  };
  in_parallel([&] { work(0); }, [&] { work(1); });
  return order;
}

/// The same with the beginning of the first round before the loop, as compilers write it out.
int claim_before(bool yields) {
  std::array<std::atomic<int>, 2> claims{};
  int order = 0;
  const auto has = [&](std::size_t self) __attribute__((always_inline)) {
    claims[self] = 1;
    return claims[1 - self] == 0;
  };
  const auto work = [&](std::size_t self) {
    for (bool has_it = has(self); !has_it; has_it = has(self)) {
      claims[self] = 0;
      yield_if(yields);
    }
    order = 10 * order + static_cast<int>(self) + 1;
    claims[self] = 0;
  };
  in_parallel([&] { work(0); }, [&] { work(1); });
  return order;
}

/// Draws tickets until nobody else draws.
int draw_tickets(bool yields) {
  std::atomic<int> next{0};
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    next.fetch_add(10);
    is_over = true;
  });
  while (!is_over) {
    next.exchange(next.load() + 1);
    yield_if(yields);
  }
  other.join();
  return next.load() >= 10 ? 1 : 0;
}

/// A thread in one loop and then in another one, which has to yield at its own head.
int retry_twice(bool yields) {
  std::atomic<int> first{0};
  std::atomic<int> second{0};
  std::atomic<int> level{0};
  std::thread other([&] {
    level = 1;
    level = 2;
  });
  do {
    first.fetch_add(1);
    yield_if(yields);
  } while (level.load() == 0);
  do {
    second.fetch_add(1);
    second.fetch_sub(1);
    yield_if(yields);
  } while (level.load() == 1);
  other.join();
  return level.load();
}

/// Each round begins with taking a lock.
int count_under_a_lock(bool yields) {
  std::mutex mutex;
  int rounds = 0;
  bool is_over = false;
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    is_over = true;
  });
  for (bool ends = false; !ends;) {
    yield_if(yields);
    const std::lock_guard lock(mutex);
    ++rounds;
    ends = is_over;
  }
  other.join();
  hocket::check(rounds < 1'000'000);  // so that no compiler knows the answer without counting
  return rounds > 0 ? 1 : 0;
}

struct Loop {
  const char* name;
  int (*run)(bool yields);
};

hocket::Options limited(const std::string& strategy) {
  hocket::Options options;
  options.save_schedules = false;
  options.strategy = strategy;
  options.max_steps = 1'000;
  options.max_preemptions = 2;
  options.max_executions = 3'000;
  return options;
}

struct Found {
  std::set<std::uint64_t> outcomes;
  hocket::Report report;
};

Found found_in(const Loop& loop, bool yields, const hocket::Options& options) {
  Collected outcomes;
  Found found;
  found.report = hocket::explore(
      loop.name, [&] { outcomes.add(static_cast<std::uint64_t>(loop.run(yields))); }, options);
  found.outcomes = outcomes.all();
  return found;
}

class LoopsThatRetry : public ::testing::TestWithParam<Loop> {};

TEST_P(LoopsThatRetry, AreExploredAsIfTheyYielded) {
  for (const std::string strategy : {"icb", "icb-por", "cb-por", "hb-cache", "dpor", "mix", "pct"}) {
    SCOPED_TRACE(strategy);
    const Found own = found_in(GetParam(), false, limited(strategy));
    const Found yielding = found_in(GetParam(), true, limited(strategy));
    EXPECT_FALSE(own.report.failed()) << own.report;
    EXPECT_EQ(own.outcomes, yielding.outcomes) << own.report << yielding.report;
    EXPECT_EQ(own.report.verdict, yielding.report.verdict) << own.report << yielding.report;
    EXPECT_THAT(to_text(own.report), HasSubstr(" without yielding, and could keep others waiting for ever"));
  }
}

TEST_P(LoopsThatRetry, AreFailuresOnRequest) {
  hocket::Options options = limited("icb");
  options.detect = options.detect.with(hocket::Detector::spins);
  const hocket::Report report = found_in(GetParam(), false, options).report;
  ASSERT_TRUE(report.failed()) << report;
  EXPECT_THAT((std::array{hocket::FailureKind::spin, hocket::FailureKind::step_limit}),
      ::testing::Contains(report.failures[0].kind));
}

INSTANTIATE_TEST_SUITE_P(All, LoopsThatRetry,
    ::testing::Values(Loop{"CountingTries", count_tries}, Loop{"Claims", claim},
        Loop{"ClaimsBefore", claim_before}, Loop{"Tickets", draw_tickets}, Loop{"TwoLoops", retry_twice},
        Loop{"CountingUnderALock", count_under_a_lock}),
    [](const auto& each) { return each.param.name; });

[[gnu::noinline]] void set(std::atomic<int>& x, int value) {
  x = value;
}

// As without optimisation, where operator= of std::atomic is one function.
TEST(ALoopThatRetries, IsNotLeftWhereTheSameFunctionCallsAnotherOperation) {
  hocket::Options options = limited("icb");
  options.max_preemptions = 0;
  Collected found;
  const hocket::Report report = hocket::explore(
      "one function",
      [&] {
        std::atomic<int> x{0};
        std::atomic<int> blinking{0};
        std::thread retries([&] {
          do {
            set(blinking, 1);
            set(blinking, 2);
          } while (x == 0);
          set(x, 2);
        });
        std::thread once([&] { set(x, 1); });
        std::thread adds([&] { x += 10; });
        for (std::thread* const thread : {&retries, &once, &adds}) thread->join();
        found.add(static_cast<std::uint64_t>(x.load()));
      },
      options);
  EXPECT_THAT(to_text(report), HasSubstr(" without yielding")) << report;
  // The last is of `once`, `retries` and `adds`, each of which runs to its end.
  EXPECT_EQ(found.all(), (std::set<std::uint64_t>{1, 2, 12})) << report;
}

TEST(ALoopThatRetries, IsStillBeforeItsNextOperationWhileItGivesWay) {
  hocket::Options options = limited("icb");
  options.max_preemptions = 0;
  const hocket::Report report = hocket::explore(
      "destroyed",
      [] {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        int rounds = 0;
        std::atomic<bool> is_over{false};
        std::thread retries([&] {
          do {
            pthread_mutex_lock(&mutex);
            ++rounds;
            pthread_mutex_unlock(&mutex);
          } while (!is_over);
        });
        pthread_mutex_destroy(&mutex);
        is_over = true;
        retries.join();
      },
      options);
  ASSERT_TRUE(report.failed()) << report;
  EXPECT_EQ(report.failures[0].kind, hocket::FailureKind::use_after_destruction) << report;
  EXPECT_THAT(report.failures[0].message, HasSubstr("is about to perform mutex.lock on it")) << report;
}

/// Both threads may be in the section, once one of them has retried.
void enter_twice() {
  std::atomic<int> tries{0};
  std::atomic<int> is_taken{0};
  std::atomic<int> inside{0};
  const auto work = [&] {
    for (;;) {
      tries.fetch_add(1);
      if (is_taken == 0) break;
    }
    is_taken = 1;
    const int others = inside.fetch_add(1);
    hocket::check(others == 0 || tries < 4, "two are inside");
    inside.fetch_sub(1);
    is_taken = 0;
  };
  in_parallel(work, work, work);
}

TEST(AFailureAfterALoopHasRetried, IsReplayedWithTheYieldsThatItGot) {
  const hocket::test::Folder folder;
  hocket::Options options;
  options.schedule_dir = folder.path();
  const hocket::Report report = hocket::explore("retries", enter_twice, options);
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_THAT(to_text(report), HasSubstr("gives way"));
  hocket::Options again;
  again.replay = report.failures[0].schedule_file;
  const hocket::Report replayed = hocket::explore("retries", enter_twice, again);
  EXPECT_TRUE(replayed.failed()) << replayed;
  EXPECT_THAT(to_text(replayed), HasSubstr("failed again"));
}

/// A thread that has retried writes where nothing is.
void crash_after_retries() {
  std::atomic<int> tries{0};
  std::atomic<int> is_taken{0};
  std::atomic<int> count{0};
  const auto work = [&] {
    for (int expected = 1; expected != 0; expected = is_taken.exchange(1)) tries.fetch_add(1);
    const bool is_second = count.fetch_add(1) != 0;
    is_taken = 0;
    volatile int* const nowhere = nullptr;
    if (is_second && tries > 4) *nowhere = 1;
  };
  in_parallel(work, work);
}

TEST(ACrashAfterALoopHasRetried, IsReplayedWithTheYieldsThatItGot) {
  const hocket::test::Folder folder;
  const std::string file = (folder.path() / "crash.schedule.json").string();
  hocket::Options options;
  options.schedule_dir = folder.path();
  const auto crashes = [](const hocket::Options& asked) {
    return hocket::test::in_supervised_child([&] {
      hocket::explore("crash", crash_after_retries, asked);
    }).exited_with(1);
  };
  EXPECT_TRUE(crashes(options));
  ASSERT_FALSE(hocket::read_schedule(file).complete);
  hocket::Options again;
  again.replay = file;
  EXPECT_TRUE(crashes(again));
  const hocket::Schedule schedule = hocket::read_schedule(file);
  EXPECT_TRUE(schedule.complete);
  EXPECT_TRUE(std::any_of(schedule.choices.begin(), schedule.choices.end(),
      [](const auto& choice) { return choice.part_of == "gives way"; }));
}

TEST(ALoopOfOneSearch, IsNoneOfTheNext) {
  const hocket::test::Folder folder;
  const auto draw = [](int limit) {
    std::atomic<int> tries{0};
    std::atomic<bool> is_over{false};
    std::thread other([&] { is_over = true; });
    for (tries = 1; !is_over; ++tries) {
    }
    other.join();
    hocket::check(tries < limit, "too many");
  };
  hocket::Options options;
  options.schedule_dir = folder.path();
  EXPECT_TRUE(hocket::explore(
      "first", [&] { draw(2); }, options)
                  .failed());
  // The saved failure comes again, so that nothing is searched.
  EXPECT_TRUE(hocket::explore(
      "first", [&] { draw(2); }, options)
                  .failed());
  const hocket::Report next = hocket::explore("next", two_steps, limited("icb"));
  EXPECT_FALSE(next.failed()) << next;
  EXPECT_THAT(to_text(next), Not(HasSubstr("without yielding")));
}

TEST(ALongLoopThatEnds, IsNoneThatRetries) {
  hocket::Options options = limited("icb");
  const hocket::Report report = hocket::explore(
      "long",
      [] {
        std::atomic<int> count{0};
        std::thread other([&] { count.fetch_add(1); });
        for (int n = 0; n < 900; ++n) count.fetch_add(1);
        other.join();
      },
      options);
  EXPECT_THAT(to_text(report), Not(HasSubstr("without yielding")));
  const hocket::Report longer = hocket::explore(
      "longer",
      [] {
        std::atomic<int> count{0};
        std::thread other([&] { count.fetch_add(1); });
        for (int n = 0; n < 1'200; ++n) count.fetch_add(1);
        other.join();
      },
      options);
  ASSERT_EQ(longer.failures.size(), 1U) << longer;
  EXPECT_EQ(longer.failures[0].kind, hocket::FailureKind::step_limit);
}

TEST(TwoThreadsThatRetryForEver, AreALivelock) {
  hocket::Options options = limited("icb");
  const hocket::FoundFailure failure = failure_of(
      [] {
        std::atomic<int> one{0};
        std::atomic<int> other{0};
        std::thread thread([&] {
          while (one.load() < 1'000'000) other.exchange(1 - other.load());
        });
        while (other.load() < 2) one.exchange(1 - one.load());
        thread.join();
      },
      options);
  EXPECT_EQ(failure.kind, hocket::FailureKind::livelock);
  const std::string& message = failure.message;
  for (const char* const step : {"main: atomic.load", "main: atomic.exchange", "main: gives way",
           "thread 1: atomic.load", "thread 1: atomic.exchange", "thread 1: gives way"})
    EXPECT_THAT(message, HasSubstr(std::string("\n  ") + step));
}

TEST(AFileWithYieldsOfALoopThatRetries, CanBeMinimized) {
  const hocket::test::Folder folder;
  hocket::Options options;
  options.schedule_dir = folder.path();
  options.strategy = "mix";
  options.minimize = std::chrono::seconds(0);
  const hocket::Report found = hocket::explore("retries", enter_twice, options);
  ASSERT_EQ(found.failures.size(), 1U) << found;
  options.replay = found.failures[0].schedule_file;
  options.minimize = std::chrono::seconds(100);
  options.minimize_file = true;
  const hocket::Report shorter = hocket::explore("retries", enter_twice, options);
  ASSERT_EQ(shorter.failures.size(), 1U) << shorter;
  EXPECT_GT(found.failures[0].bound, 2U) << found;
  EXPECT_EQ(shorter.failures[0].bound, 2U) << shorter;
  const hocket::Schedule saved = hocket::read_schedule(options.replay);
  EXPECT_EQ(saved.bound, shorter.failures[0].bound);
  EXPECT_TRUE(std::any_of(saved.choices.begin(), saved.choices.end(),
      [](const auto& choice) { return choice.part_of == "gives way"; }));
  options.minimize_file = false;
  EXPECT_THAT(to_text(hocket::explore("retries", enter_twice, options)), HasSubstr("failed again"));
}

}  // namespace

}  // namespace unmodified
