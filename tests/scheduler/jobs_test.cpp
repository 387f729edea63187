// Searches that go on in several processes: they find what one process finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/execution/execution.hpp"
#include "scheduler/strategies/executions.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/counted_programs.hpp"
#include "tests/support/row_name.hpp"
#include "tests/support/searched_by_jobs.hpp"

namespace hocket::test {

namespace {

void expect_the_same_verdict(const Report& report, const Report& one) {
  EXPECT_EQ(report.verdict, one.verdict) << report;
  EXPECT_EQ(failures_of(report), failures_of(one)) << report;
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

INSTANTIATE_TEST_SUITE_P(Programs, JobsOf, ::testing::ValuesIn(programs<HocketTypes>()), RowName());

/// All executions in the order in which a strategy runs them.
std::vector<PlaceInOrder> places_in_order(const std::function<void()>& body, const Options& options) {
  runtime::execution.forget_search();
  class Notes final : public ExecutionVisitor {
   public:
    explicit Notes(Strategy& strategy) : strategy_(strategy) { strategy_.note_places(); }
    bool learned(const runtime::ExecutionResult& /*result*/) {
      places.push_back(strategy_.place());
      return true;
    }
    std::vector<PlaceInOrder> places;

   private:
    Strategy& strategy_;
  };
  const std::unique_ptr<Strategy> strategy = make_strategy(options);
  Notes notes(*strategy);
  EXPECT_EQ(run_executions(*strategy, body, {execution_rules(options)}, notes), ExecutionsEnd::exhausted);
  return notes.places;
}

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

TEST(PlacesInOrder, AreInTheOrderInWhichASearchRunsThem) {
  for (const char* strategy : {"icb", "delay", "dfs"}) {
    const std::vector<PlaceInOrder> places = places_in_order(three_threads, with(strategy, 2));
    ASSERT_GT(places.size(), 50U);
    for (std::size_t n = 1; n < places.size(); ++n) {
      for (std::size_t before = n - 1; before < n; before = before / 2 - 1) {
        ASSERT_TRUE(comes_before(places[before], places[n])) << strategy << ' ' << before << ' ' << n;
        ASSERT_FALSE(comes_before(places[n], places[before])) << strategy << ' ' << before << ' ' << n;
      }
    }
    EXPECT_FALSE(comes_before(places[7], places[7]));
  }
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

TEST(Jobs, OfTheDefaultStrategySearchWithIcb) {
  const Report report = searched(three_threads, within(2), 2);
  EXPECT_EQ(report.strategy, "icb");
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
  const Report one = explore("jobs", three_threads, within(2));
  EXPECT_EQ(report.classes, one.classes);
}

TEST(Jobs, AreNotMadeForAShortSearch) {
  Options options = within(1);
  options.jobs = 2;
  EXPECT_EQ(explore("jobs", lost_increment, options).strategy, "auto");
}

TEST(Jobs, AreNotMadeForAStrategyThatCannotBeSplit) {
  const Report report = searched(three_threads, with("hb-cache", 2), 2);
  EXPECT_EQ(report.strategy, "hb-cache");
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
}

TEST(Jobs, AreNotMadeWhereTheProgramHasOtherThreads) {
  std::atomic<bool> is_over{false};
  std::thread other([&] { is_over.wait(false); });
  EXPECT_EQ(searched(three_threads, within(2), 2).strategy, "auto");
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
  Options options = with("icb", 2);
  options.max_steps = 200;
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
  Options options = with("icb", 2);
  options.keep_going = true;
  options.minimize = {};
  const Report one = explore("jobs", racing, options);
  ASSERT_EQ(one.failures.size(), 2U) << one;
  expect_the_same_numbers(searched(racing, options, 2), one);
}

TEST(Jobs, DivideTheLimitOfExecutions) {
  Options options = with("icb", unbounded);
  options.max_executions = 101;
  const Report report = searched(three_threads, options, 2);
  EXPECT_EQ(report.executions, 101U);
  EXPECT_EQ(report.verdict, Verdict::stopped);
  EXPECT_EQ(report.stopped_by, "the limit of 101 executions");
}

TEST(Jobs, ShareTheLimitOfTime) {
  const auto endless = [] {
    atomic<int> x{0};
    const auto add_often = [&] {
      for (int n = 0; n < 20; ++n) ++x;
    };
    in_parallel(add_often, add_often, add_often);
  };
  Options options = with("icb", unbounded);
  options.time_limit = std::chrono::milliseconds(300);
  const Report report = searched(endless, options, 2);
  EXPECT_EQ(report.verdict, Verdict::stopped);
  EXPECT_EQ(report.stopped_by, "the time limit of 300 ms");
  EXPECT_GE(report.seconds, 0.3);
}

TEST(Jobs, OfASampleDrawOtherSchedulesAndFindTheSameFailureEachTime) {
  Options options = with("random");
  options.max_executions = 1000;
  const Report passed = searched(three_threads, options, 3);
  EXPECT_EQ(passed.verdict, Verdict::passed_sample) << passed;
  EXPECT_EQ(passed.executions, 1000U);
  options.minimize = {};
  const Report once = searched(lost_increment, options, 2);
  ASSERT_TRUE(once.failed()) << once;
  for (int n = 0; n < 5; ++n) EXPECT_EQ(failures_of(searched(lost_increment, options, 2)), failures_of(once));
}

TEST(Jobs, AreAskedForWithANumberThatMakesSense) {
  Options options = quietly();
  options.jobs = 1025;
  EXPECT_THROW(explore("jobs", lost_increment, options), std::invalid_argument);
}

}  // namespace

}  // namespace hocket::test
