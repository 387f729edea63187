// What a search promises: its order, each execution once, limits, seeds, and what it does about bodies that
// are not deterministic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include "scheduler/schedules/schedule_file.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/folder.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Two threads that make `each` steps on one variable. Notes the order of the threads of each execution.
class TwoThreads {
 public:
  explicit TwoThreads(int each) : each_(each) {}

  [[nodiscard]] std::function<void()> body() {
    return [this] {
      std::string order;
      atomic<int> x{0};
      const auto steps = [&](char who) {
        for (int n = 0; n < each_; ++n) {
          x.fetch_add(1);
          order += who;
        }
      };
      in_parallel([&] { steps('a'); }, [&] { steps('b'); });
      orders.push_back(order);
    };
  }

  [[nodiscard]] std::set<std::string> distinct() const { return {orders.begin(), orders.end()}; }

  /// Preemptions in an order: switches away from a thread that has steps left.
  [[nodiscard]] unsigned preemptions(const std::string& order) const {
    unsigned count = 0;
    int made[2] = {0, 0};
    for (std::size_t n = 0; n + 1 < order.size(); ++n) {
      const int left = each_ - ++made[order[n] - 'a'];
      if (order[n + 1] != order[n] && left > 0) ++count;
    }
    return count;
  }

  /// Of each run of the body, the repeated one among them.
  std::vector<std::string> orders;

 private:
  int each_;
};

std::function<void()> six_increments_on_three_threads() {
  return [] {
    atomic<int> x{0};
    in_parallel_each(3, [&](unsigned) {
      for (int n = 0; n < 6; ++n) x.fetch_add(1);
    });
  };
}

// ---------------------------------------------------------------------------------------------------------------------
// Order and completeness

TEST(Icb, RunsEachExecutionOnceAndThoseWithFewerPreemptionsFirst) {
  TwoThreads threads(5);
  const Report report = explore("icb", threads.body(), exhaustively());
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
  ASSERT_EQ(threads.orders.size(), 1 + 252U);
  EXPECT_EQ(threads.orders[0], threads.orders[1]) << "the first is run again, to see that it does the same";
  threads.orders.erase(threads.orders.begin());
  EXPECT_EQ(threads.distinct().size(), 252U);
  std::vector<std::uint64_t> executions(report.bounds.size());
  unsigned before = 0;
  for (const std::string& order : threads.orders) {
    const unsigned preemptions = threads.preemptions(order);
    EXPECT_GE(preemptions, before) << "bound " << preemptions << " after bound " << before;
    before = preemptions;
    ++executions.at(preemptions);
  }
  for (std::size_t bound = 0; bound < report.bounds.size(); ++bound) {
    EXPECT_EQ(report.bounds[bound].executions, executions[bound]) << "bound " << bound;
    EXPECT_TRUE(report.bounds[bound].complete);
  }
}

TEST(Icb, StopsAtItsLastBoundAndSaysThatMoreIsThere) {
  TwoThreads threads(5);
  const Report report = explore("bounded", threads.body(), within(3));
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound);
  EXPECT_EQ(report.executions, 90U);
  EXPECT_EQ(report.bounds.size(), 4U);
}

TEST(Icb, KnowsThatItIsThroughWhenTheBoundLeavesNothingOut) {
  TwoThreads threads(5);
  Options options = quietly();
  options.max_preemptions = 8;  // no order has more
  EXPECT_EQ(explore("all", threads.body(), options).verdict, Verdict::passed_exhaustively);
}

TEST(Icb, FindsTheFailureWithTheFewestPreemptions) {
  Options options = exhaustively({.keep_going = true});
  unsigned least = unbounded;
  for (const char* strategy : {"icb", "dfs"}) {
    options.strategy = strategy;
    const Report report = report_of(options, [] {
      atomic<int> x{0};
      in_parallel_each(3, [&](unsigned) { x.store(x.load() + 1); });
      check(x.load() == 3, "lost");
    });
    ASSERT_EQ(report.failures.size(), 1U);
    least = std::min(least, report.failures[0].bound);
    if (options.strategy == "icb") {
      EXPECT_EQ(report.failures[0].bound, 1U);
    }
  }
  EXPECT_EQ(least, 1U);
}

TEST(ASearchThatKeepsGoing, TellsDeadlocksOnDifferentLocksApartWhereOneLineOfTheLibraryWaits) {
  const Report report = report_of(quietly({.max_preemptions = 1, .keep_going = true}), [] {
    std::array<mutex, 4> locks;
    const auto take = [&](unsigned first, unsigned second) {
      const std::lock_guard outer(locks[first]);
      const std::lock_guard inner(locks[second]);
    };
    in_parallel_each(2, [&](unsigned n) {
      take(n, 1 - n);
      take(2 + n, 3 - n);
    });
  });
  EXPECT_EQ(report.failures.size(), 2U);
}

TEST(Dfs, RunsEveryExecutionOnce) {
  TwoThreads threads(5);
  const Report report = explore("dfs", threads.body(), quietly("dfs"));
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
  EXPECT_EQ(report.executions, 252U);
  EXPECT_EQ(report.classes, 252U);
  EXPECT_EQ(threads.distinct().size(), 252U);
  EXPECT_TRUE(report.bounds.empty());
}

TEST(IcbAndDfs, FindTheSameClassesAndExecutions) {
  const auto body = [] {
    mutex m;
    condition_variable condition;
    int items = 0;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          condition.wait(lock, [&] { return items > 0; });
          --items;
        },
        [&] {
          const std::lock_guard guard(m);
          items += static_cast<int>(choose(2)) + 1;
          condition.notify_one();
        },
        [&] {
          if (m.try_lock()) m.unlock();
        });
  };
  Options options = exhaustively();
  const Report icb = explore("icb", body, options);
  options.strategy = "dfs";
  const Report dfs = explore("dfs", body, options);
  EXPECT_EQ(icb.verdict, Verdict::passed_exhaustively) << icb;
  EXPECT_EQ(dfs.verdict, Verdict::passed_exhaustively) << dfs;
  EXPECT_EQ(icb.executions, dfs.executions);
  EXPECT_EQ(icb.classes, dfs.classes);
}

TEST(TheFrontier, NeedsAtMostSixteenBytesAPendingItem) {
  const Report report = report_of(quietly({.max_preemptions = 4, .max_executions = 500'000}), [] {
    atomic<int> x{0};
    in_parallel_each(4, [&](unsigned) {
      for (int n = 0; n < 10; ++n) x.fetch_add(1);
    });
  });
  ASSERT_GT(report.frontier_peak_items, 100'000U);
  EXPECT_LE(
      static_cast<double>(report.frontier_peak_bytes) / static_cast<double>(report.frontier_peak_items), 16.0)
      << report.frontier_peak_bytes << " bytes for " << report.frontier_peak_items << " items";
}

// ---------------------------------------------------------------------------------------------------------------------
// Random

TEST(Random, IsFixedInEverythingByItsSeed) {
  const auto orders = [](std::uint64_t seed) {
    TwoThreads threads(8);
    const Options options = quietly({.strategy = "random", .max_executions = 500, .seed = seed});
    EXPECT_EQ(explore("random", threads.body(), options).verdict, Verdict::passed_sample);
    return threads.orders;
  };
  EXPECT_EQ(orders(1), orders(1));
  EXPECT_NE(orders(1), orders(2));
}

TEST(Random, PicksEachOfManyThreadsEquallyOften) {
  for (const unsigned threads : {5U, 20U, 63U, 70U}) {
    constexpr unsigned kTimesEach = 80;
    std::vector<unsigned> times_first(threads);
    report_of(quietly({.strategy = "random", .max_executions = std::uint64_t{threads} * kTimesEach}), [&] {
      counting_semaphore<> all_are_there(0);
      std::vector<unsigned> order;
      std::vector<thread> all;
      for (unsigned n = 0; n < threads; ++n) {
        all.emplace_back([&, n] {
          all_are_there.acquire();
          order.push_back(n);
        });
      }
      all_are_there.release(threads);
      for (thread& each : all) each.join();
      ++times_first[order.front()];
    });
    // The number is binomial with a variance just below kTimesEach. Six standard deviations: once in 5e8.
    const double deviation = 6 * std::sqrt(kTimesEach);
    for (const unsigned times : times_first) EXPECT_NEAR(times, kTimesEach, deviation) << threads;
  }
}

TEST(Random, MeetsAll252OrdersOfTwoTimesFiveStepsInTenThousandRuns) {
  TwoThreads threads(5);
  const Report report = explore("random", threads.body(), quietly("random"));
  EXPECT_EQ(report.verdict, Verdict::passed_sample);
  EXPECT_EQ(report.executions, 10'000U);
  EXPECT_EQ(report.classes, 252U);
  EXPECT_EQ(threads.distinct().size(), 252U);
}

// ---------------------------------------------------------------------------------------------------------------------
// Limits

TEST(ALimit, OnExecutionsStopsTheSearch) {
  const Report report =
      explore("limited", six_increments_on_three_threads(), exhaustively({.max_executions = 1234}));
  EXPECT_EQ(report.verdict, Verdict::stopped);
  EXPECT_EQ(report.executions, 1234U);
  EXPECT_EQ(report.stopped_by, "the limit of 1 234 executions");
  EXPECT_GT(report.pending, 0U);
  EXPECT_FALSE(report.bounds.back().complete);
  EXPECT_TRUE(report.bounds.front().complete);
}

TEST(ALimit, OnExecutionsCountsDroppedOnes) {
  const Report report = report_of(exhaustively({.max_executions = 10}), [] { assume(choose(1000) < 3); });
  EXPECT_EQ(report.executions + report.dropped, 10U);
}

TEST(ALimit, OnTimeStopsTheSearch) {
  const Report report =
      explore("limited", six_increments_on_three_threads(), exhaustively({.time_limit = 100ms}));
  EXPECT_EQ(report.verdict, Verdict::stopped);
  EXPECT_THAT(report.stopped_by, HasSubstr("the time limit of "));
  EXPECT_GE(report.seconds, 0.09);
  EXPECT_LT(report.seconds, 2);
}

TEST(ALimit, OnTimeEndsTheExecutionThatRuns) {
  const Report report = report_of(exhaustively({.time_limit = 300ms}), [] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          for (int n = 0; n < 9'000; ++n) {
            usleep(1'000);
            x.fetch_add(1);
          }
        },
        [&] { x.fetch_add(1); });
  });
  EXPECT_EQ(report.verdict, Verdict::stopped);
  EXPECT_LT(report.seconds, 5);
}

TEST(ALimit, OnMemoryStopsTheSearch) {
  const Report report = explore(
      "limited", six_increments_on_three_threads(), exhaustively({.memory_limit = std::size_t{4} << 20U}));
  EXPECT_EQ(report.verdict, Verdict::stopped);
  EXPECT_EQ(report.stopped_by, "the memory limit of 4 194 304 bytes");
  EXPECT_LT(report.frontier_peak_bytes + report.class_bytes, std::size_t{8} << 20U);
}

TEST(ALimit, OnDistinctFailuresIsSaidToHaveEndedASearchThatKeepsGoing) {
  Options options = quietly({.max_preemptions = 0, .keep_going = true});
  // Deadlocks of different sets of threads.
  const auto fails_in = [&](unsigned ways, unsigned other_ways) {
    return report_of(options, [ways, other_ways] {
      counting_semaphore<> never(0);
      std::vector<thread> threads(1 + choose(ways));
      std::vector<thread> others(other_ways > 1 ? choose(other_ways) : 0);
      for (thread& each : threads) each = thread([&] { never.acquire(); });
      for (thread& each : others) {
        each = thread([&] { never.acquire(); });
      }
      for (thread& each : threads) each.join();
      for (thread& each : others) each.join();
    });
  };
  options.strategy = "delay";  // of few schedules
  const Report nine = fails_in(9, 1);
  EXPECT_EQ(nine.failures.size(), 9U);
  EXPECT_EQ(nine.stopped_by, "");
  EXPECT_THAT(to_text(nine), Not(HasSubstr("was stopped")));
  const Report eleven = fails_in(11, 1);
  EXPECT_EQ(eleven.failures.size(), 11U);
  EXPECT_EQ(eleven.stopped_by, "");
  EXPECT_THAT(to_text(eleven), HasSubstr("\n1 more failure, without a file:\n  deadlock: "));
  const Report many = fails_in(11, 11);
  EXPECT_EQ(many.failures.size(), 100U);
  EXPECT_EQ(many.stopped_by, "the limit of 100 distinct failures");
  EXPECT_THAT(to_text(many),
      HasSubstr(
          "The search was stopped by the limit of 100 distinct failures; there may be other failures.\n"));
  EXPECT_THAT(to_text(many), HasSubstr("\n90 more failures, without a file:\n"));
}

TEST(ALimit, ThatAFailureComesBeforeChangesNothing) {
  EXPECT_EQ(report_of(exhaustively({.max_executions = 1}), [] { check(false); }).verdict, Verdict::failed);
}

TEST(ASignalThatABodySendsToItsOwnProcess, EndsTheProcessAndNotTheSearch) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    const ChildEnd end = in_child([signal] { report_of(quietly(), [signal] { std::raise(signal); }); });
    EXPECT_TRUE(end.died_of(signal)) << end.status << end.output;
  }
}

TEST(CtrlC, EndsASearchWithTheReportSoFarAndNoOtherIsBegun) {
  const ChildEnd end = in_child([] {
    int executions = 0;
    const Report report = report_of(exhaustively(), [&] {
      choose(1000);
      if (++executions == 1 + 100) std::raise(SIGINT);  // the first is run twice
    });
    EXPECT_EQ(report.verdict, Verdict::stopped);
    EXPECT_EQ(report.stopped_by, "Ctrl-C");
    EXPECT_EQ(report.executions, 100U);
    EXPECT_EQ(report.pending, 900U);

    const Report next = report_of(exhaustively(), [] { std::puts("begun"); });
    EXPECT_EQ(next.verdict, Verdict::stopped);
    EXPECT_EQ(next.stopped_by, "Ctrl-C");
    EXPECT_EQ(next.executions, 0U);
    std::fputs(to_text(next).c_str(), stdout);
    std::fflush(stdout);
    std::raise(SIGINT);
  });
  EXPECT_TRUE(end.died_of(SIGINT)) << "a second Ctrl-C, between searches";
  EXPECT_EQ(end.output, "body: not searched: Ctrl-C has ended an earlier search of this process\n");
}

TEST(CtrlC, EndsTheExecutionThatRunsAtItsNextStep) {
  const auto stops = [](const char* strategy, int interrupted_execution) {
    int executions = 0;
    int steps_after = 0;
    const Report report = report_of(exhaustively({.strategy = strategy, .max_steps = 1'000'000}), [&] {
      atomic<int> rounds = 0;
      thread other([&] { rounds.store(1); });
      choose(1000);
      if (++executions == interrupted_execution) {
        std::raise(SIGINT);
        for (int n = 0; n < 10'000; ++n, ++steps_after) rounds.store(n);
      }
      other.join();
    });
    EXPECT_EQ(report.verdict, Verdict::stopped) << to_text(report);
    EXPECT_EQ(report.stopped_by, "Ctrl-C");
    EXPECT_TRUE(report.failures.empty()) << to_text(report);
    EXPECT_LT(steps_after, 3) << strategy;
    EXPECT_EQ(executions, interrupted_execution) << strategy;
    EXPECT_LT(report.executions, static_cast<std::uint64_t>(interrupted_execution)) << "it does not count";
  };
  for (const char* const strategy : {"auto", "icb", "icb-por", "dpor", "cb-por", "dfs", "random", "pct"}) {
    for (const int nth : {1, 10, 50}) {
      const ChildEnd end = in_child([&] { stops(strategy, nth); });
      EXPECT_EQ(end.output, "") << strategy << ", execution " << nth;
      EXPECT_TRUE(end.exited_with(0));
    }
  }
}

TEST(CtrlC, WhileAFailureIsRecordedSavesItsChoices) {
  const Folder folder;
  int to_go = 2;  // of executions that fail: the first of them is found, and the second one recorded
  const auto body = [&to_go] {
    atomic<int> x = 0;
    const auto increment = [&x] { x.store(x.load() + 1); };
    in_parallel(increment, increment);
    if (x.load() == 1 && --to_go == 0) {
      std::raise(SIGINT);
      x.load();
    }
    check(x.load() == 2, "an increment was lost");
  };
  const ChildEnd end = in_child([&] {
    const Report report = explore("fails", body, {.schedule_dir = folder.path().string()});
    EXPECT_EQ(report.verdict, Verdict::failed);
    EXPECT_EQ(report.failures.at(0).message, "an increment was lost");
    EXPECT_EQ(report.failures.at(0).bound, 1U);
    EXPECT_THAT(to_text(report), HasSubstr("a replay will complete the file"));
  });
  EXPECT_TRUE(end.exited_with(0)) << end.output;
  const Options options{.replay = folder.path() / "fails.schedule.json"};
  to_go = 0;  // none of them is interrupted
  const Report again = explore("fails", body, options);
  EXPECT_EQ(again.verdict, Verdict::failed) << again;
  EXPECT_THAT(to_text(again), HasSubstr("— preempted —"));
  const Schedule completed = read_schedule(options.replay);
  EXPECT_TRUE(completed.complete);
  EXPECT_FALSE(completed.stacks.empty());
}

TEST(CtrlC, IsNoticedBetweenOperationsWhereMuchIsWritten) {
  const Folder folder;
  const ChildEnd end = in_child([&] {
    int executions = 0;
    int written_after = 0;
    const Report report = report_of({.schedule_dir = folder.path().string()}, [&] {
      written_after = 0;
      std::array<var<int>, 100> much;
      thread([&] {
        if (++executions == 2) std::raise(SIGINT);  // the first one was found
        for (var<int>& each : much) {
          each = 1;
          ++written_after;
        }
        check(false, "fails");
      }).join();
    });
    EXPECT_EQ(executions, 2);
    EXPECT_LT(written_after, 3);
    EXPECT_EQ(report.failures.at(0).message, "fails");
    EXPECT_THAT(to_text(report), HasSubstr("a replay will complete the file"));
  });
  EXPECT_TRUE(end.exited_with(0)) << end.output;
}

TEST(CtrlC, EndsAReplayAtItsNextStep) {
  const Folder folder;
  Options options{.schedule_dir = folder.path().string()};
  bool is_stopped = false;
  int steps_after = 0;
  const auto body = [&] {
    atomic<int> x = 0;
    if (is_stopped) std::raise(SIGINT);
    for (int n = 0; n < 1000; ++n, ++steps_after) x.store(n);
    check(false, "fails");
  };
  ASSERT_EQ(explore("fails", body, options).verdict, Verdict::failed);
  options.replay = folder.path() / "fails.schedule.json";
  is_stopped = true;
  const ChildEnd end = in_child([&] {
    steps_after = 0;
    const Report report = explore("fails", body, options);
    EXPECT_EQ(report.verdict, Verdict::stopped);
    EXPECT_LT(steps_after, 3);
    std::fputs(to_text(report).c_str(), stdout);
  });
  EXPECT_EQ(end.output, "fails: the replay was stopped by Ctrl-C\n");
}

TEST(AChildProcessForEachExecution, IsRefusedToCodeThatIsNotInstrumented) {
  try {
    report_of(quietly({.restore = Restore::fork}), [] {});
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("restore=fork requires instrumented code"), std::string::npos)
        << error.what();
  }
}

TEST(Options, ThatMakeNoSenseAreRefused) {
  const auto refuse = [](const std::function<void(Options&)>& change, const std::string& sentence) {
    Options options = quietly();
    change(options);
    try {
      report_of(options, [] {});
      ADD_FAILURE() << "accepted: " << sentence;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr(sentence));
    }
  };
  refuse([](Options& o) { o.strategy = "luck"; },
      "there is no strategy \"luck\"; the strategies are auto, icb, ");
  refuse([](Options& o) { o.max_steps = 0; }, "max_steps is 0; it must be between 1 and");
  refuse([](Options& o) { o.stack_size = 100; }, "stack_size is 100; it must be between");
  refuse([](Options& o) { o.time_limit = -1s; }, "time_limit is negative");
}

// ---------------------------------------------------------------------------------------------------------------------
// Bodies that are not deterministic

TEST(ABodyThatIsNotDeterministic, IsRecognisedAndTheStepIsNamedAtWhichTwoRunsPart) {
  int run = 0;
  const Report report = report_of(exhaustively(), [&] {
    const bool odd = ++run > 2 && run % 2 == 1;
    atomic<int> x{0};
    atomic<int> y{0};
    name(x, "x");
    name(y, "y");
    const auto work = [&] {
      x.fetch_add(1);
      odd ? x.load() : y.load();
      x.fetch_add(1);
    };
    in_parallel(work, work);
  });
  EXPECT_EQ(report.verdict, Verdict::nondeterministic) << report;
  EXPECT_TRUE(report.failed());
  EXPECT_THAT(report.explanation, HasSubstr("under the same schedule, step "));
  EXPECT_THAT(report.explanation, HasSubstr("atomic.load x at search_test.cpp:"));
  EXPECT_THAT(report.explanation, HasSubstr("atomic.load y at search_test.cpp:"));
}

TEST(ABodyThatIsNotDeterministic, IsRecognisedWhenItsValuesDecideHowManyStepsThereAre) {
  int run = 0;
  const Report report = report_of(exhaustively(), [&] {
    const int steps = run++ < 2 ? 2 : 2 + run % 3;
    atomic<int> x{0};
    const auto work = [&] {
      for (int n = 0; n < steps; ++n) x.fetch_add(1);
    };
    in_parallel(work, work);
  });
  EXPECT_EQ(report.verdict, Verdict::nondeterministic) << report;
  EXPECT_FALSE(report.explanation.empty());
}

TEST(ABodyThatIsNotDeterministic, IsRecognisedByAFailureThatDoesNotComeAgain) {
  int run = 0;
  const Report report = report_of(exhaustively(), [&] { check(++run != 1, "only once"); });
  EXPECT_EQ(report.verdict, Verdict::nondeterministic);
  EXPECT_EQ(report.explanation,
      "an execution failed (check: only once), but passed when it was run again under the same schedule");
}

TEST(ABodyThatIsNotDeterministic, IsRecognisedByRandomToo) {
  int run = 0;
  const Report report = report_of(quietly("random"), [&] {
    atomic<int> x{0};
    if (++run % 2 == 0) x.store(1);
  });
  EXPECT_EQ(report.verdict, Verdict::nondeterministic) << report;
}

// Every pending prefix is what it was, so only a run that is repeated tells.
TEST(ABodyThatIsNotDeterministic, IsRecognisedWhenNothingButItsEndChanges) {
  for (const char* strategy : {"icb", "dfs"}) {
    int run = 0;
    const Report report = report_of(with(strategy), [&] {
      atomic<int> x{0};
      name(x, "x");
      const auto work = [&] {
        for (int n = 0; n < 3; ++n) x.fetch_add(1);
      };
      in_parallel(work, work, work);
      if (++run > 2 && run % 2 == 0) x.store(0);
    });
    EXPECT_EQ(report.verdict, Verdict::nondeterministic) << report;
    EXPECT_EQ(report.executions, 1001U);
    EXPECT_THAT(report.explanation,
        HasSubstr(
            "execution 1 001 took a different path when it was run again under the same schedule; run twice "
            "more, under the same schedule, step 10 was once"));
    EXPECT_THAT(report.explanation, HasSubstr("main: atomic.store x at search_test.cpp:"));
  }
}

TEST(ABodyThatIsNotDeterministic, IsRecognisedThoughItHasOneExecutionOnly) {
  int run = 0;
  const Report report = report_of(exhaustively(), [&] {
    atomic<int> x{0};
    name(x, "x");
    if (++run % 2 == 0) x.store(1);
  });
  EXPECT_EQ(report.verdict, Verdict::nondeterministic) << report;
  EXPECT_EQ(report.executions, 1U);
  EXPECT_THAT(report.explanation, HasSubstr("execution 1 took a different path when it was run again"));
  EXPECT_THAT(report.explanation, HasSubstr("atomic.store x at search_test.cpp:"));
}

TEST(TheReport, AsTextSaysWhatWasCovered) {
  TwoThreads threads(2);
  const std::string text = to_text(explore("two by two", threads.body(), exhaustively()));
  EXPECT_THAT(text, HasSubstr("two by two: passed every schedule there is: 6 executions (6 classes)"));
}

}  // namespace

}  // namespace hocket::test
