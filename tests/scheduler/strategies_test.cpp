// What is particular to each strategy; reductions_test.cpp has icb-por, cb-por and dpor. That they are
// complete where they say so is checked against a brute force for random programs (tests/oracle/) and by
// class counts (tests/scheduler/class_counts_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>

#include "scheduler/graph/class_set.hpp"
#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/frontier_search.hpp"
#include "scheduler/strategies/sleep_sets.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tests/support/bodies.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;

// Beyond 64 threads there is another path for steps. Those that have ended change nothing of what can be
// chosen.
TEST(Searches, FindTheSameBehindSixtyFourThreads) {
  const auto of_many = [] {
    for (int n = 0; n < 66; ++n) thread([] {}).join();
    three_threads_of_three_increments_of_two();
  };
  for (const char* strategy : {"icb", "hb-cache", "icb-por", "cb-por"}) {
    const Report few = explore("few", three_threads_of_three_increments_of_two, with(strategy, 3));
    const Report many = explore("many", of_many, with(strategy, 3));
    ASSERT_EQ(many.bounds.size(), few.bounds.size()) << strategy;
    for (std::size_t n = 0; n < few.bounds.size(); ++n) {
      EXPECT_EQ(many.bounds[n].executions, few.bounds[n].executions) << strategy << " at bound " << n;
      EXPECT_EQ(many.bounds[n].classes, few.bounds[n].classes) << strategy << " at bound " << n;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Sleep sets and a bound

/// {x = 1; y = 1} ∥ {y = 2}: Figure 1 of Musuvathi & Qadeer, Partial-Order Reduction for Context-Bounded
/// State Exploration (2007).
int y_at_the_end() {
  atomic<int> x{0};
  atomic<int> y{0};
  in_parallel([&] { x.store(1), y.store(1); }, [&] { y.store(2); });
  return y.load();
}

/// The values of y at the end of everything that the strategy runs. Executions that it cuts short do not
/// count, although they run to their ends.
std::set<int> values_met_by(Strategy& strategy) {
  struct Values : ExecutionVisitor {
    bool ran(const runtime::ExecutionResult& result) {
      if (result.outcome == runtime::Outcome::completed) met.insert(last);
      return true;
    }
    int last = 0;
    std::set<int> met;
  } values;
  runtime::execution.forget_search();
  const auto body = [&] { values.last = y_at_the_end(); };
  EXPECT_EQ(run_executions(strategy, body, {}, values), ExecutionsEnd::exhausted);
  runtime::execution.forget_search();
  return values.met;
}

TEST(SleepSetsWithABound, MissAClassThatIsWithinTheBound) {
  FrontierSearch<SleepRules<true>> naive(0, SleepRules<true>(false));
  EXPECT_EQ(values_met_by(naive), (std::set<int>{2})) << "y = 2, x = 1, y = 1 has no preemption";
}

TEST(SleepSetsWithoutABound, MissNothing) {
  EXPECT_EQ(values_met_by(*make_strategy(with("dfs-sleep"))), (std::set<int>{1, 2}));
}

TEST(ReductionsMadeForBounds, MissNothingThatIsWithinTheBound) {
  for (const char* strategy : {"icb", "hb-cache", "icb-por", "cb-por", "cb-por-basic"}) {
    EXPECT_EQ(values_met_by(*make_strategy(with(strategy, 0))), (std::set<int>{1, 2})) << strategy;
  }
}

TEST(SleepSets, SayThatTheyMayMissClassesWhenPreemptionIsForbidden) {
  const Report report = report_of(with("dfs-sleep"), [] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          const no_preemption guard;
          x.fetch_add(1);
          x.fetch_add(1);
        },
        [&] { x.store(7); });
  });
  EXPECT_EQ(report.verdict, Verdict::passed_sample);
  EXPECT_THAT(report.note, HasSubstr("use dfs"));
}

// The guard begins after the choice, in the joining thread's own step or in the last step of the other
// thread.
TEST(ReductionsMadeForBounds, TellApartInWhoseStepAThreadThatHasJoinedAnotherOneChooses) {
  const auto body = [](bool yields) {
    atomic<int> x{0};
    in_parallel(
        [&] {
          if (yields) assume(x.load() == 0);
          x.store(2);
        },
        [&] {
          thread other([&] { x.store(1); });
          this_thread::yield();
          other.join();
          choose(2);
          const no_preemption guard;
          if (yields) {
            this_thread::yield();
          } else {
            x.load();
          }
        });
  };
  const auto in_another_thread = [] {
    atomic<int> x{0};
    thread other([] { this_thread::yield(); });
    this_thread::yield();
    other.join();
    thread third([&] {
      choose(2);
      x.store(1);
    });
    {
      const no_preemption guard;
      x.store(2);
    }
    third.join();
  };
  const std::array<std::function<void()>, 3> bodies{
      [&] { body(false); }, [&] { body(true); }, in_another_thread};
  for (const std::function<void()>& one : bodies) {
    const Report all = explore("guarded after a join", one, with("icb"));
    EXPECT_EQ(all.verdict, Verdict::passed_exhaustively);
    for (const char* strategy : {"hb-cache", "icb-por", "cb-por", "cb-por-basic"}) {
      const Report report = explore("guarded after a join", one, with(strategy));
      EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << strategy;
      EXPECT_EQ(report.classes, all.classes) << strategy;
    }
  }
}

TEST(ReductionsMadeForBounds, KeepThreadsTogetherThatMustNotBePreempted) {
  const auto body = [] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          const no_preemption guard;
          x.fetch_add(1);
          x.fetch_add(1);
        },
        [&] { x.store(7), x.store(8); });
  };
  const Report all = explore("guarded", body, with("icb"));
  for (const char* strategy : {"hb-cache", "icb-por", "cb-por", "cb-por-basic"}) {
    const Report report = explore("guarded", body, with(strategy));
    EXPECT_EQ(report.classes, all.classes) << strategy;
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << strategy;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// hb-cache

TEST(HbCache, RunsFewerExecutionsThanIcbAndMeetsTheSameClasses) {
  const Report icb = explore("increments", three_threads_of_three_increments_of_two, with("icb"));
  const Report cached = explore("increments", three_threads_of_three_increments_of_two, with("hb-cache"));
  EXPECT_EQ(cached.classes, icb.classes);
  EXPECT_LT(cached.executions, icb.executions);
  EXPECT_GT(cached.pruned, 0U);
  EXPECT_EQ(cached.verdict, Verdict::passed_exhaustively);
}

TEST(HbCache, ThatRunsOutOfMemoryForStatesPrunesLessSaysSoAndMissesNothing) {
  const Report icb = explore("increments", three_threads_of_three_increments_of_two, with("icb"));
  const Options options = exhaustively({.strategy = "hb-cache", .memory_limit = std::size_t{16} << 10U});
  const auto strategy = make_strategy(options);
  struct Classes : ExecutionVisitor {
    ClassSet met;
    bool learned(const runtime::ExecutionResult& result) {
      if (result.outcome == runtime::Outcome::completed) met.insert(result.hash);
      return true;
    }
  } classes;
  runtime::execution.forget_search();
  ASSERT_EQ(run_executions(*strategy, three_threads_of_three_increments_of_two, {}, classes),
      ExecutionsEnd::exhausted);
  EXPECT_EQ(classes.met.size(), icb.classes);
  EXPECT_THAT(strategy->note(), HasSubstr("the memory for states was full after "));
  EXPECT_LE(strategy->pending().table_bytes, options.memory_limit / 2);
}

// ---------------------------------------------------------------------------------------------------------------------
// auto

TEST(Auto, RunsEveryOrderInSmallSearchesOfCodeThatIsNotInstrumented) {
  EXPECT_EQ(Options{}.strategy, "auto");
  const Report icb = explore("increments", three_threads_of_three_increments_of_two, with("icb"));
  const Report automatic = explore("increments", three_threads_of_three_increments_of_two, with("auto"));
  EXPECT_EQ(automatic.executions, icb.executions);
  EXPECT_LT(automatic.executions, 4'096U);
  EXPECT_EQ(automatic.pruned, 0U);
  EXPECT_EQ(automatic.verdict, Verdict::passed_exhaustively);
}

TEST(Auto, CutsLargeSearchesShortWithoutLosingAClass) {
  const auto readers_and_writers = [] {
    atomic<int> x{0};
    in_parallel_each(8, [&](unsigned n) { n == 0 ? x.store(1) : static_cast<void>(x.load()); });
  };
  const Report icb = explore("readers", readers_and_writers, with("icb"));
  const Report automatic = explore("readers", readers_and_writers, with("auto"));
  EXPECT_EQ(icb.executions, 40'320U);
  EXPECT_LT(automatic.executions + automatic.pruned, 10'000U);
  EXPECT_GT(automatic.pruned, 0U);
  EXPECT_EQ(icb.classes, 128U);
  EXPECT_EQ(automatic.classes, 128U);
  EXPECT_EQ(automatic.verdict, Verdict::passed_exhaustively);
}

// hb-cache alone needs 90 000.
TEST(Auto, RunsFewOrdersOfEachClassOfManyThreads) {
  const auto philosophers = [] {
    constexpr unsigned kSeats = 7;
    std::array<mutex, kSeats> forks;
    in_parallel_each(kSeats, [&](unsigned seat) {
      const auto [first, second] = std::minmax({seat, (seat + 1) % kSeats});
      const std::lock_guard one(forks[first]);
      const std::lock_guard other(forks[second]);
    });
  };
  const Report automatic = explore("philosophers", philosophers, with("auto"));
  EXPECT_EQ(automatic.classes, 126U);
  EXPECT_LT(automatic.executions + automatic.pruned, 30'000U);
}

/// Counts executions, and measures the memory for states.
struct Memory : ExecutionVisitor {
  explicit Memory(const Strategy& searching) : strategy(searching) {}
  const Strategy& strategy;
  std::uint64_t most_runs = unbounded;  ///< it stops after so many
  std::uint64_t runs = 0;
  std::uint64_t executions = 0;  ///< those of them that were not cut short
  std::size_t most = 0;          ///< bytes
  bool learned(const runtime::ExecutionResult& result) {
    executions += result.outcome == runtime::Outcome::completed ? 1 : 0;
    most = std::max(most, strategy.pending().table_bytes);
    return ++runs < most_runs;
  }
};

TEST(Auto, ForgetsStatesWhereNoneIsReachedTwice) {
  const auto increments = [] {
    atomic<int> x{0};
    const auto increment = [&] {
      for (int n = 0; n < 4; ++n) x.fetch_add(1);
    };
    in_parallel(increment, increment, increment);
  };
  const auto searched = [&](const char* name) {
    const auto strategy = make_strategy(with(name));
    Memory memory(*strategy);
    runtime::execution.forget_search();
    EXPECT_EQ(run_executions(*strategy, increments, {}, memory), ExecutionsEnd::exhausted);
    EXPECT_EQ(memory.executions, 34'650U) << name;
    return std::pair(memory.most, strategy->pending().table_bytes);
  };
  const auto [most_cached, last_cached] = searched("hb-cache");
  const auto [most, last] = searched("auto");
  EXPECT_EQ(last_cached, most_cached);
  EXPECT_LT(most, most_cached);
  EXPECT_LT(last, most);
}

// The first executions of cb-por have more cuts than memory holds.
TEST(Auto, GivesUpClassesBeforeOneExecutionHasFilledTheMemory) {
  const auto stores = [] {
    std::array<atomic<int>, 14> variables{};
    atomic<int> shared{0};
    in_parallel_each(14, [&](unsigned n) {
      variables[n].store(1);
      variables[n].store(2);
      if (n < 2) shared.fetch_add(1);
    });
  };
  const Options options = exhaustively({.strategy = "auto", .memory_limit = std::size_t{4} << 20U});
  const auto strategy = make_auto_with(options, {.executions = 64, .tries_icb_por = false});
  Memory memory(*strategy);
  memory.most_runs = 1'000;
  runtime::execution.forget_search();
  EXPECT_EQ(run_executions(*strategy, stores, {}, memory), ExecutionsEnd::stopped);
  EXPECT_LT(memory.most, options.memory_limit);
}

TEST(Auto, IsFairWhereIcbWouldBe) {
  const auto polls = [] {
    atomic<bool> is_ready{false};
    mutex m;
    thread other([&] {
      const std::lock_guard lock(m);
      is_ready = true;
    });
    for (bool done = false; !done; yield()) {
      const std::lock_guard lock(m);
      done = is_ready;
    }
    other.join();
  };
  Options options = quietly({.strategy = "icb", .max_preemptions = 2});
  const Report icb = explore("polls", polls, options);
  options.strategy = "auto";
  const Report automatic = explore("polls", polls, options);
  EXPECT_EQ(automatic.verdict, icb.verdict) << automatic;
  EXPECT_EQ(automatic.fair, icb.fair);
  EXPECT_EQ(automatic.classes, icb.classes);
}

/// Four threads that share something that Hocket does not see: the order in which they pass. The body calls
/// `at_the_end` with it, a number of four digits to the base of 4.
std::function<void()> threads_with_a_hidden_order(const std::function<void(int)>& at_the_end) {
  return [at_the_end] {
    std::atomic<int> passed{0};
    std::array<atomic<int>, 4> own{};
    in_parallel_each(4, [&](unsigned n) {
      own[n].store(1);
      passed = passed * 4 + static_cast<int>(n);
    });
    at_the_end(passed);
  };
}

TEST(Auto, LeavesOutOrdersOfIndependentThreadsAsIcbPorDoes) {
  const auto body = [] {
    std::array<mutex, 27> mutexes{};
    in_parallel_each(27, [&](unsigned n) { const std::lock_guard lock(mutexes[n]); });
  };
  const Report report = explore("independent", body, with("auto"));
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.classes, 1U);
  EXPECT_LT(report.executions + report.pruned, 3U * 4'096U);
}

TEST(Auto, IsDoneWithStatesWhereIcbPorIsSlow) {  // because yields conflict with everything
  std::array<atomic<int>, 6> values{};
  const auto body = [&] {
    in_parallel_each(6, [&](unsigned n) {
      values[n].store(1);
      yield();
      values[n].store(2);
    });
  };
  const Report cached = explore("yields", body, with("hb-cache"));
  const Report report = explore("yields", body, with("auto"));
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.classes, cached.classes);
  EXPECT_GT(report.executions, cached.executions + 4'096) << "icb-por was tried, too";
  EXPECT_LT(report.executions + report.pruned, 2 * (cached.executions + cached.pruned));
}

TEST(WhatHocketDoesNotSee, IsRunInEveryOrderWhereTheSearchIsSmall) {
  std::array order{0, 1, 2, 3};
  do {
    const int bad = ((order[0] * 4 + order[1]) * 4 + order[2]) * 4 + order[3];
    const auto body = threads_with_a_hidden_order([bad](int passed) { check(passed != bad, "bad order"); });
    for (const char* strategy : {"auto", "icb"}) {
      const Report report = explore("hidden", body, with(strategy));
      EXPECT_EQ(report.verdict, Verdict::failed) << strategy << ", order " << bad << '\n' << report;
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(WhatHocketDoesNotSee, IsNoticedByTheClassThatAnExecutionEndsInAfterItWasCutShort) {
  const auto body = threads_with_a_hidden_order([](int passed) {
    atomic<int> many{0};
    for (int n = 0; n < passed; ++n) many.store(n);
  });
  const Report icb = explore("hidden", body, with("icb"));
  EXPECT_EQ(icb.classes, 24U);
  EXPECT_EQ(icb.note, "");
  const Report report = explore("hidden", body, with("hb-cache"));
  EXPECT_EQ(report.classes, 24U);
  EXPECT_EQ(report.executions, icb.executions);
  EXPECT_EQ(report.pruned, 0U);
  EXPECT_EQ(report.strategy, "icb");
  EXPECT_THAT(report.note, HasSubstr("the threads share something that Hocket does not see; the search began "
                                     "anew with icb, which leaves nothing out"));
}

TEST(WhatHocketDoesNotSee, IsNoticedByRandomExecutionsWhereIcbPorLeavesOrdersOut) {
  const auto body = [] {
    std::array<mutex, 20> mutexes{};
    bool hidden = false;
    in_parallel_each(20, [&](unsigned n) {
      const std::lock_guard lock(mutexes[n]);
      if (n == 1) hidden = true;
      if (n == 0 && hidden) atomic<int>{0}.store(1);
    });
  };
  EXPECT_EQ(explore("hidden", body, with("icb-por")).executions, 1U) << "which does not notice it";
  const Report report = explore("hidden", body, exhaustively({.strategy = "auto", .max_executions = 20'000}));
  EXPECT_EQ(report.verdict, Verdict::stopped) << report;
  EXPECT_EQ(report.strategy, "icb");
  EXPECT_THAT(report.note, HasSubstr("the search began anew with icb, which leaves nothing out"));
}

// Its end is part of the steps that were made, and so of the state.
TEST(HbCache, CutsShortWhereAThreadIsDetachedAndFindsThatItOutlivesTheBody) {
  const auto body = [](bool waits) {
    return [waits] {
      const auto done = std::make_shared<counting_semaphore<>>(0);
      atomic<int> x{0};
      thread([done] { done->release(); }).detach();
      in_parallel_each(3, [&](unsigned) { x.load(); });
      if (waits) done->acquire();
    };
  };
  const Report cached = explore("waits", body(true), with("hb-cache"));
  EXPECT_EQ(cached.verdict, Verdict::passed_exhaustively) << cached;
  EXPECT_GT(cached.pruned, 0U);
  EXPECT_EQ(explore("leaves", body(false), with("hb-cache")).failures.at(0).kind, FailureKind::leak);
}

// ---------------------------------------------------------------------------------------------------------------------
// Other bounds

TEST(Delay, CountsDelaysAndSaysSo) {
  const Report report = explore("increments", three_threads_of_three_increments_of_two, with("delay", 1));
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound);
  EXPECT_EQ(report.bounds.at(0).executions, 1U) << "without a delay there is one schedule";
  EXPECT_THAT(to_text(report), HasSubstr("passed every schedule with at most 1 delay"));
  EXPECT_THAT(to_text(report), HasSubstr("delays"));
}

TEST(Idfs, FindsWhatDiffersEarlyBeforeWhatDiffersLate) {
  const auto executions_until = [](bool early) {
    return report_of(with("idfs"), [=] {
      atomic<int> x{0};
      int first = 0;
      in_parallel(
          [&] {
            first = x.exchange(1);
            for (int n = 0; n < 4; ++n) x.load();
            if (!early) check(x.load() == 1);
          },
          [&] { x.store(5); });
      if (early) check(first == 0);
    }).executions;
  };
  EXPECT_LT(executions_until(true), executions_until(false));
}

// ---------------------------------------------------------------------------------------------------------------------
// best-first

// Bounds have all schedules with fewer preemptions before it, and all places for as many.
TEST(BestFirst, ComesToStrictTurnsSoonerThanABoundDoes) {
  const auto executions_of = [](const char* strategy) {
    const Report report = report_of(with(strategy), [] {
      constexpr unsigned kTurns = 12;
      atomic<int> x{0};
      unsigned in_turn = 0;
      in_parallel_each(2, [&](unsigned n) {
        for (unsigned turn = n; turn < kTurns; turn += 2) {
          x.fetch_add(1);
          if (in_turn == turn) ++in_turn;
        }
      });
      check(in_turn < kTurns);
    });
    EXPECT_TRUE(report.failed()) << strategy << report;
    return report.executions;
  };
  EXPECT_LT(executions_of("best-first"), executions_of("icb") / 2);
  EXPECT_LT(executions_of("best-first"), executions_of("dpor"));
}

// If it tried one kind of switch only, it would add the same one at all places first.
TEST(BestFirst, TriesEachKindOfSwitchBeforeItTriesOneAgain) {
  const auto executions_until = [](int object) {
    const Report report = report_of(with("best-first"), [object] {
      std::array<atomic<int>, 3> objects{};
      in_parallel(
          [&] {
            for (auto& each : objects)
              for (int n = 0; n < 10; ++n) each.fetch_add(1);
          },
          [&] {
            const int seen = objects[static_cast<std::size_t>(object)].load();
            check(seen == 0 || seen == 10);
          });
    });
    EXPECT_TRUE(report.failed()) << report;
    return report.executions;
  };
  for (const int object : {0, 1, 2}) EXPECT_LE(executions_until(object), 9U) << object;
}

TEST(BestFirst, PassesEveryScheduleAndNamesNoBound) {
  const Report report = explore("increments", three_threads_of_three_increments_of_two, with("best-first"));
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.executions,
      explore("increments", three_threads_of_three_increments_of_two, with("dfs")).executions);
  EXPECT_TRUE(report.bounds.empty());
}

// ---------------------------------------------------------------------------------------------------------------------
// Samples

TEST(Pct, RunsTheSameExecutionsForTheSameSeed) {
  Options options = exhaustively({.strategy = "pct", .max_executions = 300});
  const auto classes = [&](std::uint64_t seed) {
    options.seed = seed;
    return explore("increments", three_threads_of_three_increments_of_two, options).classes;
  };
  EXPECT_EQ(classes(7), classes(7));
  EXPECT_EQ(explore("increments", three_threads_of_three_increments_of_two, options).verdict,
      Verdict::passed_sample);
}

TEST(Pct, GivesWayWhereAThreadSpins) {
  const Report report =
      report_of(exhaustively({.strategy = "pct", .max_executions = 200, .max_steps = 500}), [] {
        atomic<bool> ready{false};
        in_parallel(
            [&] {
              while (!ready.load()) this_thread::yield();
            },
            [&] { ready.store(true); });
      });
  EXPECT_EQ(report.verdict, Verdict::passed_sample) << report;
}

TEST(Pct, FindsABugOfItsDepth) {
  const Options options = exhaustively({.strategy = "pct", .pct_depth = 2});
  EXPECT_EQ(explore("in between", fails_with_one_preemption, options).verdict, Verdict::failed);
}

/// One thread may poll thousands of times while the others wait, and two others fail with one preemption.
void fails_beside_a_long_poll() {
  atomic<bool> ready{false};
  atomic<int> a{0};
  atomic<int> b{0};
  in_parallel(
      [&] {
        for (int n = 0; n < 2000 && !ready.load(); ++n) {
        }
      },
      [&] {
        a.store(1);
        b.store(1);
      },
      [&] {
        check(a.load() == b.load(), "found between the stores");
        ready.store(true);
      });
}

TEST(Pct, IsNotLedAstrayByFewLongExecutions) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Options options = exhaustively({.strategy = "pct", .seed = seed});
    EXPECT_EQ(explore("beside a poll", fails_beside_a_long_poll, options).verdict, Verdict::failed)
        << "seed " << seed;
  }
  EXPECT_EQ(explore("beside a poll", fails_beside_a_long_poll, with("random")).verdict, Verdict::failed);
}

TEST(AStrategy, ThatDoesNotExistIsRefusedWithTheNamesOfThoseThatDo) {
  try {
    report_of(with("bfs"), [] {});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(
        error.what(), HasSubstr("there is no strategy \"bfs\"; the strategies are auto, icb, hb-cache, "));
    EXPECT_THAT(error.what(), HasSubstr(" and cb-por-basic"));
  }
}

}  // namespace

}  // namespace hocket::test
