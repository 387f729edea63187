// Searches that go on in several processes: they find what one process finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include "runtime/execution/execution.hpp"
#include "scheduler/strategies/shared_memory.hpp"
#include "scheduler/strategies/shared_states.hpp"
#include "scheduler/strategies/work_sharing.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/counted_programs.hpp"
#include "tests/support/row_name.hpp"
#include "tests/support/searched_by_jobs.hpp"

namespace hocket::test {

namespace {

/// What the failures are, but not which of several schedules with as few preemptions has shown them: jobs
/// that share work do not come to these in one order.
std::vector<std::pair<FailureKind, unsigned>> kinds_of_failures(const Report& report) {
  std::vector<std::pair<FailureKind, unsigned>> kinds;
  for (const FoundFailure& failure : report.failures) kinds.emplace_back(failure.kind, failure.bound);
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

void expect_the_same_verdict(const Report& report, const Report& one) {
  EXPECT_EQ(report.verdict, one.verdict) << report;
  EXPECT_EQ(kinds_of_failures(report), kinds_of_failures(one)) << report;
  EXPECT_EQ(report.strategy, one.strategy);
  EXPECT_FALSE(report.shard) << "nobody asked for a part";
}

/// The same for searches that have come to their ends.
void expect_the_same_numbers(const Report& report, const Report& one) {
  expect_the_same_verdict(report, one);
  EXPECT_EQ(report.executions, one.executions);
  EXPECT_EQ(report.steps, one.steps);
  EXPECT_EQ(report.classes, one.classes);
  EXPECT_EQ(report.failed_classes, one.failed_classes);
  EXPECT_EQ(report.dropped, one.dropped);
  EXPECT_EQ(report.stopped_by, one.stopped_by);
  ASSERT_EQ(report.bounds.size(), one.bounds.size());
  for (std::size_t bound = 0; bound < report.bounds.size(); ++bound) {
    EXPECT_EQ(report.bounds[bound].executions, one.bounds[bound].executions) << bound;
    EXPECT_EQ(report.bounds[bound].classes, one.bounds[bound].classes) << bound;
    EXPECT_EQ(report.bounds[bound].failures, one.bounds[bound].failures) << bound;
    EXPECT_EQ(report.bounds[bound].complete, one.bounds[bound].complete) << bound;
  }
}

class JobsOf : public ::testing::TestWithParam<Program> {};

TEST_P(JobsOf, RunWhatOneProcessRuns) {
  for (const char* strategy : {"icb", "delay"}) {
    Options options = with(strategy, std::min(2U, GetParam().about.last_bound_of_icb));
    options.keep_going = true;
    options.minimize = {};
    const Report one = explore("jobs", GetParam().body, options);
    for (const unsigned jobs : {2U, 3U})
      expect_the_same_numbers(searched(GetParam().body, options, jobs), one);
  }
}

/// The same classes and bounds; what is run beside one execution of each differs.
TEST_P(JobsOf, MeetTheClassesOfOneProcessWhereTheyShareStates) {
  for (const char* strategy : {"hb-cache", "auto"}) {
    Options options = with(strategy, GetParam().about.last_bound_of_icb);
    options.keep_going = true;
    options.minimize = {};
    const Report one = explore("jobs", GetParam().body, options);
    for (const unsigned jobs : {2U, 3U}) {
      const Report report = searched(GetParam().body, options, jobs);
      EXPECT_EQ(report.verdict, one.verdict) << report;
      EXPECT_EQ(report.strategy, strategy);
      EXPECT_EQ(report.classes, one.classes);
      EXPECT_EQ(report.failed_classes, one.failed_classes);
      EXPECT_EQ(report.stopped_by, one.stopped_by);
      for (std::size_t bound = 0; bound < std::max(report.bounds.size(), one.bounds.size()); ++bound) {
        const auto row = [bound](const Report& of) {
          return bound < of.bounds.size() ? of.bounds[bound] : BoundReport{.complete = true};
        };
        EXPECT_EQ(row(report).classes, row(one).classes) << bound;
        EXPECT_EQ(row(report).complete, row(one).complete) << bound;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, JobsOf, ::testing::ValuesIn(programs<HocketTypes>()), RowName());

void three_threads() {
  atomic<int> x{0};
  mutex lock;
  const auto add = [&] {
    ++x;
    const lock_guard guard(lock);
    ++x;
  };
  in_parallel(add, add, [&] {
    if (choose(2) == 1) ++x;
    add();
  });
}

void lost_increment() {
  atomic<int> x{0};
  const auto add = [&] { x = x + 1; };
  in_parallel(add, add, [&] { ++x; });
  check(x == 3, "an increment is lost");
}

TEST(Jobs, MakeAFailureAsShortAsOneProcessDoes) {
  Options options = with("icb");
  options.minimize = std::chrono::minutes(1);  // a busy machine makes it no longer
  const Report one = explore("jobs", lost_increment, options);
  const Report report = searched(lost_increment, options, 3);
  expect_the_same_verdict(report, one);
  EXPECT_EQ(report.failures.at(0).known_least, one.failures.at(0).known_least);
}

/// Runs a search in this process, and says in how many processes it was.
unsigned processes_of(const std::function<void()>& body, const Options& options, unsigned jobs) {
  struct Seen {
    std::atomic<unsigned> count;
    std::array<std::atomic<pid_t>, 8> processes;
  };
  const SharedMemory memory(sizeof(Seen));
  Seen& seen = *reinterpret_cast<Seen*>(memory.data());
  const auto noted = [&] {
    const auto end = seen.processes.begin() + seen.count;
    if (std::find(seen.processes.begin(), end, getpid()) == end) seen.processes.at(seen.count++) = getpid();
    body();
  };
  EXPECT_FALSE(searched(noted, options, jobs).failed());
  return seen.count;
}

TEST(Jobs, OfTheDefaultStrategyShareItsWork) {
  EXPECT_EQ(processes_of(three_threads, within(2), 1), 1U);
  EXPECT_GT(processes_of(three_threads, within(3), 2), 1U);
  EXPECT_GT(processes_of(three_threads, with("hb-cache", 3), 2), 1U);
}

TEST(Jobs, CountMoreClassesThanTheirTableHasRoomForAtFirst) {
  const auto body = [] {
    std::array<atomic<int>, 4> x{};
    in_parallel_each(4, [&](unsigned own) {
      for (unsigned n = 0; n < 3; ++n) {
        ++x[3];
        ++x[own];
      }
    });
  };
  const Options options = with("icb", 3);
  const Report one = explore("jobs", body, options);
  ASSERT_GT(one.classes, 20'000U);
  ASSERT_GT(one.executions, 2 * one.classes);
  for (const unsigned jobs : {2U, 3U}) expect_the_same_numbers(searched(body, options, jobs), one);
}

TEST(Jobs, AreNotMadeForAShortSearch) {
  Options options = exhaustively({.strategy = "random", .max_executions = 20, .jobs = 2});
  const Report alone = explore("jobs", three_threads, options);
  options.jobs = 1;
  const Report one = explore("jobs", three_threads, options);
  EXPECT_EQ(alone.classes, one.classes) << "jobs draw other schedules";
  EXPECT_EQ(alone.steps, one.steps);
}

TEST(Jobs, AreNotMadeForAStrategyThatCannotBeSplit) {
  const Report report = searched(three_threads, with("icb-por", 2), 2);
  EXPECT_EQ(report.strategy, "icb-por");
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
}

TEST(Jobs, AreNotMadeWhereTheProgramHasOtherThreads) {
  std::atomic<bool> is_over{false};
  std::thread other([&] { is_over.wait(false); });
  EXPECT_EQ(processes_of(three_threads, within(2), 2), 1U);
  is_over = true;
  is_over.notify_all();
  other.join();
}

/// What makes a search begin anew is met by one job first, and holds for all.
TEST(Jobs, BeginAnewTogether) {
  const auto starving = [] {
    atomic<int> x{0};
    mutex lock;
    in_parallel(
        [&] {
          if (x != 1) return;
          while (x != 2) {
            const lock_guard guard(lock);
            yield();
          }
        },
        [&] {
          ++x;
          lock.lock();
          lock.unlock();
          ++x;
        });
  };
  Options options = quietly({.strategy = "icb", .max_preemptions = 2, .max_steps = 200});
  const Report one = explore("jobs", starving, options);
  ASSERT_TRUE(one.fair) << one;
  expect_the_same_numbers(searched(starving, options, 3), one);
  const auto weak = [] {
    atomic<int> x{0};
    atomic<int> y{0};
    atomic<int> late{0};
    int seen = 0;
    in_parallel(
        [&] {
          x.store(1, std::memory_order_relaxed);
          y.store(1, std::memory_order_relaxed);
        },
        [&] {
          if (late == 0) return;
          if (y.load(std::memory_order_relaxed) == 1) seen = x.load(std::memory_order_relaxed) + 1;
        },
        [&] { late = 1; });
    check(seen != 1, "y is new and x is old");
  };
  options = with("icb", 3);
  options.minimize = {};
  const Report weak_one = explore("jobs", weak, options);
  ASSERT_TRUE(weak_one.failed()) << weak_one;
  const Report weak_report = searched(weak, options, 3);
  expect_the_same_verdict(weak_report, weak_one);
  EXPECT_EQ(weak_report.memory_model, MemoryModel::c11);
}

TEST(Jobs, ThatShareWorkBeginAnewTogether) {
  for (const char* strategy : {"auto", "hb-cache"}) {
    const auto weak = [] {
      atomic<int> x{0};
      atomic<int> y{0};
      atomic<int> late{0};
      int seen = 0;
      in_parallel(
          [&] {
            if (late == 0) return;
            x.store(1, std::memory_order_relaxed);
            y.store(1, std::memory_order_relaxed);
          },
          [&] {
            if (y.load(std::memory_order_seq_cst) == 1) seen = x.load(std::memory_order_relaxed) + 1;
          },
          [&] { late = 1; });
      check(seen != 1, "y is new and x is old");
    };
    const Options options = quietly({.strategy = strategy, .max_preemptions = 3, .minimize = {}});
    const Report one = explore("jobs", weak, options);
    ASSERT_TRUE(one.failed()) << one;
    const Report report = searched(weak, options, 3);
    EXPECT_EQ(report.verdict, one.verdict) << report;
    EXPECT_EQ(report.failures.at(0).bound, one.failures.at(0).bound);
    EXPECT_EQ(report.memory_model, MemoryModel::c11);
  }
}

TEST(Jobs, ThatShareWorkNoticeOrdersThatHocketDoesNotSee) {
  const auto hidden = [] {
    std::atomic<int> passed{0};
    std::array<atomic<int>, 4> own{};
    in_parallel_each(4, [&](unsigned n) {
      own[n].store(1);
      passed = passed * 4 + static_cast<int>(n);
    });
    atomic<int> many{0};
    for (int n = 0; n < passed; ++n) many.store(n);
  };
  const Options options = with("hb-cache");
  ASSERT_EQ(explore("jobs", hidden, options).strategy, "icb");
  for (const unsigned jobs : {2U, 3U}) EXPECT_EQ(searched(hidden, options, jobs).strategy, "icb");
}

TEST(Jobs, GoOnPastDataRacesTogether) {
  const auto racing = [] {
    var<int> x{0};
    atomic<int> y{0};
    in_parallel(
        [&] {
          x = 1;
          ++y;
        },
        [&] {
          ++y;
          x = 2;
        },
        [&] { y = y + 1; });
    check(y == 3, "an increment is lost");
  };
  const Options options =
      quietly({.strategy = "icb", .max_preemptions = 2, .keep_going = true, .minimize = {}});
  const Report one = explore("jobs", racing, options);
  ASSERT_EQ(one.failures.size(), 2U) << one;
  expect_the_same_numbers(searched(racing, options, 2), one);
}

TEST(Jobs, ShareTheLimitOfExecutions) {
  for (const char* strategy : {"icb", "auto"}) {
    const Report report =
        searched(three_threads, exhaustively({.strategy = strategy, .max_executions = 101}), 2);
    EXPECT_EQ(report.executions, 101U);
    EXPECT_EQ(report.verdict, Verdict::stopped);
    EXPECT_EQ(report.stopped_by, "the limit of 101 executions");
  }
}

TEST(Jobs, WaitForNobodyWhoWasKilledBeforeATableCouldGrow) {
  WorkSharing work(2, 0, nullptr);
  work.become(1);
  work.share(std::make_shared<SharedStates>(std::size_t{8} << 20U));
  for (std::uint64_t n = 1; !work.classes()->asks_to_grow(); ++n) {
    runtime::ClassHash hash;
    hash.add(n, n);
    ASSERT_TRUE(work.classes()->insert(hash));
  }
  unsigned waits = 0;
  work.let_tables_grow([&] {
    work.end();  // as the process does that has made the jobs
    return ++waits == 100;
  });
  EXPECT_EQ(waits, 1U);
}

TEST(Jobs, StopWhereMemoryHasNoRoomForTheirClasses) {
  const auto body = [] {
    atomic<int> x{0};
    in_parallel_each(3, [&](unsigned) {
      for (int n = 0; n < 5; ++n) ++x;
    });
  };
  Options options = quietly({.strategy = "icb", .max_preemptions = 5, .memory_limit = std::size_t{8} << 20U});
  ASSERT_EQ(explore("jobs", body, options).verdict, Verdict::passed_within_bound);
  options.memory_limit = std::size_t{3} << 20U;
  const Report report = searched(body, options, 2);
  EXPECT_EQ(report.verdict, Verdict::stopped) << report;
  EXPECT_EQ(report.stopped_by, "the memory limit of 3 145 728 bytes");
}

TEST(Jobs, ShareTheLimitOfTime) {
  const auto endless = [] {
    atomic<int> x{0};
    const auto add_often = [&] {
      for (int n = 0; n < 20; ++n) ++x;
    };
    in_parallel(add_often, add_often, add_often);
  };
  for (const char* strategy : {"icb", "auto"}) {
    const Report report = searched(
        endless, exhaustively({.strategy = strategy, .time_limit = std::chrono::milliseconds(300)}), 2);
    EXPECT_EQ(report.verdict, Verdict::stopped);
    EXPECT_EQ(report.stopped_by, "the time limit of 300 ms");
    EXPECT_GE(report.seconds, 0.3);
  }
}

TEST(Jobs, OfASampleDrawOtherSchedulesAndFindTheSameFailureEachTime) {
  Options options = exhaustively({.strategy = "random", .max_executions = 1000});
  const Report passed = searched(three_threads, options, 3);
  EXPECT_EQ(passed.verdict, Verdict::passed_sample) << passed;
  EXPECT_EQ(passed.executions, 1000U);
  options.minimize = {};
  const Report once = searched(lost_increment, options, 2);
  ASSERT_TRUE(once.failed()) << once;
  for (int n = 0; n < 5; ++n) EXPECT_EQ(failures_of(searched(lost_increment, options, 2)), failures_of(once));
}

TEST(Jobs, AreAskedForWithANumberThatMakesSense) {
  EXPECT_THROW(explore("jobs", lost_increment, quietly({.jobs = 1025})), std::invalid_argument);
}

}  // namespace

}  // namespace hocket::test
