// What is particular to each strategy. That they are complete where they say so is checked against a brute
// force for random programs (tests/oracle/) and by class counts (tests/scheduler/class_counts_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "scheduler/graph/class_set.hpp"
#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/frontier_search.hpp"
#include "scheduler/strategies/sleep_sets.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tests/support/bodies.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;

Options with(const char* strategy, unsigned bound = unbounded) {
  Options options = quietly();
  options.strategy = strategy;
  options.max_preemptions = bound;
  return options;
}

void three_threads_of_three_increments_of_two() {
  atomic<int> x{0};
  atomic<int> y{0};
  in_parallel_each(3, [&](unsigned n) {
    for (int i = 0; i < 3; ++i) (n == 0 ? x : y).fetch_add(1);
  });
}

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
  const Report report = explore(
      "guarded",
      [] {
        atomic<int> x{0};
        in_parallel(
            [&] {
              const no_preemption guard;
              x.fetch_add(1);
              x.fetch_add(1);
            },
            [&] { x.store(7); });
      },
      with("dfs-sleep"));
  EXPECT_EQ(report.verdict, Verdict::passed_sample);
  EXPECT_THAT(report.note, HasSubstr("use dfs"));
}

// The guard begins after the choice, in the joining thread's own step or in the last step of the other
// thread.
TEST(ReductionsMadeForBounds, SayWhereTheyDoNotTellStatesApart) {
  const auto body = [] {
    atomic<int> x{0};
    atomic<int> y{0};
    thread other([&] { x.store(1); });
    y.store(1);
    thread third([&] { x.store(2); });
    other.join();
    choose(2);
    {
      const no_preemption guard;
      x.load();
    }
    third.join();
  };
  const Report all = explore("guarded after a join", body, with("icb"));
  EXPECT_EQ(all.verdict, Verdict::passed_exhaustively);
  for (const char* strategy : {"cb-por", "cb-por-basic"}) {
    const Report report = explore("guarded after a join", body, with(strategy));
    EXPECT_EQ(report.verdict, Verdict::passed_sample) << strategy;
    EXPECT_THAT(report.note, HasSubstr("icb-por leaves out none")) << strategy;
  }
  for (const char* strategy : {"hb-cache", "icb-por"}) {
    const Report report = explore("guarded after a join", body, with(strategy));
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << strategy;
    EXPECT_EQ(report.classes, all.classes) << strategy;
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
  Options options = with("hb-cache");
  options.memory_limit = std::size_t{16} << 10U;
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
      const auto [first, second] = std::minmax(seat, (seat + 1) % kSeats);
      const std::lock_guard one(forks[first]);
      const std::lock_guard other(forks[second]);
    });
  };
  const Report automatic = explore("philosophers", philosophers, with("auto"));
  EXPECT_EQ(automatic.classes, 126U);
  EXPECT_LT(automatic.executions + automatic.pruned, 30'000U);
}

TEST(Auto, ForgetsStatesWhereNoneIsReachedTwice) {
  const auto increments = [] {
    atomic<int> x{0};
    const auto increment = [&] {
      for (int n = 0; n < 4; ++n) x.fetch_add(1);
    };
    in_parallel(increment, increment, increment);
  };
  struct Memory : ExecutionVisitor {
    explicit Memory(const Strategy& searching) : strategy(searching) {}
    const Strategy& strategy;
    std::uint64_t executions = 0;
    std::size_t most = 0;
    bool learned(const runtime::ExecutionResult& result) {
      executions += result.outcome == runtime::Outcome::completed ? 1 : 0;
      most = std::max(most, strategy.pending().table_bytes);
      return true;
    }
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
  Options options = with("icb");
  options.max_preemptions = 2;
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
  Options options = with("auto");
  options.max_executions = 20'000;
  const Report report = explore("hidden", body, options);
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
// icb-por

TEST(IcbPor, RunsThreadsThatShareNothingOnce) {
  const Report report = explore(
      "independent",
      [] {
        std::array<mutex, 27> mutexes{};
        in_parallel_each(27, [&](unsigned n) { const std::lock_guard lock(mutexes[n]); });
      },
      with("icb-por"));
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
  EXPECT_EQ(report.executions, 1U);
}

TEST(IcbPor, IsRecommendedWhereIcbIsLostInOrdersOfIndependentSteps) {
  const auto body = [] {
    atomic<int> x{0};
    in_parallel_each(16, [&](unsigned) { x.load(); });
  };
  Options options = with("icb");
  options.max_executions = 1000;
  const std::string text = to_text(explore("readers", body, options));
  EXPECT_THAT(text,
      HasSubstr("These executions were of 1 class: the others differed only in the order of independent "
                "steps. Try --hocket_strategy=icb-por, which leaves out most such orders.\n"));
  EXPECT_EQ(explore("readers", body, with("icb-por")).executions, 1U);
}

TEST(IcbPor, RunsTwoOfThirtyThreadsInBothOrdersIfTheyConflict) {
  std::set<int> last;
  const Report report = explore(
      "two conflict",
      [&] {
        std::array<atomic<int>, 30> written{};
        in_parallel_each(30, [&](unsigned n) { written[n == 20 ? 7 : n].store(static_cast<int>(n) + 1); });
        last.insert(written[7].load());
      },
      with("icb-por"));
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
  EXPECT_EQ(report.executions, 2U);
  EXPECT_EQ(last, (std::set<int>{8, 21}));
}

TEST(IcbPor, ReportsAFailureWithTheFewestPreemptionsAmongManyThreads) {
  const auto body = [] {
    std::array<atomic<int>, 16> own{};
    atomic<int> x{0};
    in_parallel_each(16, [&](unsigned n) {
      own[n].store(1);
      if (n == 3) x.store(1), x.store(2);
      if (n == 12) check(x.load() != 1, "seen in between");
      own[n].store(2);
    });
  };
  const Report report = explore("in between", body, with("icb-por"));
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_EQ(report.failures[0].bound, 1U);
  EXPECT_LT(report.executions, 100U);
}

TEST(IcbPor, EndsAtTheLastBoundAndSaysThatThereIsMore) {
  const Report report = explore("increments", three_threads_of_three_increments_of_two, with("icb-por", 1));
  const Report icb = explore("increments", three_threads_of_three_increments_of_two, with("icb", 1));
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound);
  EXPECT_EQ(report.classes, icb.classes);
  EXPECT_LT(report.executions, icb.executions);
}

TEST(IcbPor, SeesAThreadWaitThatHasMadeAChoiceBeforeItsFirstStep) {
  const auto body = [] {
    mutex m;
    condition_variable c;
    atomic<int> x{0};
    thread third;
    thread waits([&] {
      static_cast<void>(choose(2));
      std::unique_lock lock(m);
      c.wait(lock);
    });
    thread starts([&] {
      c.notify_one();
      third = thread([&] {
        const mutex own;
        x.store(0);
      });
      const std::lock_guard lock(m);
      x.store(1);
    });
    waits.join();
    starts.join();
    third.join();
  };
  Options options = with("icb-por", 3);
  options.keep_going = options.spurious_wakeups = true;
  const Report por = explore("waits", body, options);
  options.strategy = "icb";
  const Report icb = explore("waits", body, options);
  EXPECT_EQ(por.classes, icb.classes);
  EXPECT_EQ(por.failed_classes, icb.failed_classes);
}

// The order of the first lock of this thread and of what others do to the mutex that it locks under the guard
// matters, although they have no object in common.
TEST(Dpor, SeesAGuardThatBeginsInAStepInWhichAThreadHasMadeAChoice) {
  for (const bool locks : {false, true}) {
    const auto body = [locks] {
      mutex inner;
      mutex outer;
      thread chooses;
      thread guards([&] {
        const std::lock_guard lock(outer);
        chooses = thread([&] {
          static_cast<void>(choose(2));
          if (locks) const std::lock_guard also(inner);
        });
        const no_preemption guard;
        const std::lock_guard within(inner);
      });
      thread third([&] { const std::lock_guard lock(inner); });
      guards.join();
      third.join();
      chooses.join();
    };
    const Report all = explore("guards", body, with("dfs"));
    for (const char* strategy : {"dpor", "icb-por", "auto"})
      EXPECT_EQ(explore("guards", body, with(strategy)).classes, all.classes) << strategy;
  }
}

TEST(Dpor, RunsEachClassOnceAndThreadsThatShareNothingInOneOrder) {
  const auto in_rings = [] {
    std::array<atomic<int>, 3> values{};
    in_parallel_each(3, [&](unsigned n) {
      for (int round = 0; round < 3; ++round) {
        values[n].store(round);
        values[(n + 1) % 3].load();
      }
    });
  };
  const Report report = explore("ring", in_rings, with("dpor"));
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
  EXPECT_EQ(report.classes, 4'411U);
  EXPECT_EQ(report.executions, 4'411U);
  EXPECT_LT(report.table_bytes, 1U << 20U);
  std::array<mutex, 27> mutexes{};
  const auto apart = [&] {
    in_parallel_each(27, [&](unsigned n) { const std::lock_guard lock(mutexes[n]); });
  };
  EXPECT_EQ(explore("independent", apart, with("dpor")).executions, 1U);
}

TEST(IcbPor, SeesAThreadWaitForOneThatWaitsForAnother) {
  std::set<int> last;
  const auto body = [&] {
    atomic<int> x{0};
    atomic<int> y{0};
    thread writes([&] { y.store(1); });
    thread([&] { thread([&] { x.store(1); }).join(); }).join();
    y.store(2);
    writes.join();
    last.insert(y.load());
  };
  explore("joins", body, with("icb-por", 0));
  EXPECT_EQ(last, (std::set<int>{1, 2}));
}

TEST(IcbPor, LeavesNothingOutWhereAThreadIsDetached) {
  atomic<int> own{0};
  const auto body = [&] {
    atomic<int> x{0};
    int passed = 0;
    in_parallel_each(7, [&](unsigned n) {
      if (n == 6) x.store(1);
      passed += x.load();
    });
    if (passed != 7) return;
    counting_semaphore<> done(0);
    thread other([&] {
      done.release();
      own.store(1);  // the body may have ended by now
    });
    done.acquire();
    other.detach();
  };
  for (const char* strategy : {"icb-por", "auto"}) {
    Options options = with(strategy);
    options.max_preemptions = 1;
    const Report report = explore("detaches", body, options);
    EXPECT_EQ(report.verdict, Verdict::failed) << report;
    ASSERT_EQ(report.failures.size(), 1U);
    EXPECT_EQ(report.failures[0].bound, 1U);
  }
}

TEST(IcbPor, SeesWhatThreadsWouldHaveDoneAfterAFailure) {
  std::set<int> seen;
  Options options = with("icb-por");
  options.keep_going = true;
  explore(
      "fails at once",
      [&] {
        atomic<int> x{0};
        atomic<int> y{0};
        in_parallel([&] { x.store(1), y.store(1), check(false, "always"); }, [&] { seen.insert(x.load()); });
      },
      options);
  EXPECT_EQ(seen, (std::set<int>{0, 1}));
}

// ---------------------------------------------------------------------------------------------------------------------
// cb-por

/// A thread finds an even number of steps of the other one, three times: one preemption is enough for the
/// class, however it is met.
void fails_with_one_preemption() {
  atomic<int> x{0};
  atomic<int> noise{0};
  in_parallel(
      [&] {
        noise.fetch_add(1);
        x.store(1);
        x.store(2);
        noise.fetch_add(1);
      },
      [&] {
        noise.fetch_add(1);
        check(x.load() != 1, "seen in between");
        noise.fetch_add(1);
      });
}

TEST(CbPor, SavesAFailureInTheOrderOfItsClassThatHasTheFewestPreemptions) {
  const Report icb = explore("in between", fails_with_one_preemption, with("icb"));
  for (const char* strategy : {"cb-por", "cb-por-basic"}) {
    const Report report = explore("in between", fails_with_one_preemption, with(strategy));
    ASSERT_EQ(report.failures.size(), 1U) << strategy;
    EXPECT_EQ(report.failures[0].bound, icb.failures.at(0).bound) << strategy;
    EXPECT_EQ(report.failures[0].bound, 1U) << strategy;
    EXPECT_EQ(report.bounds.size(), 2U) << "it was met at the bound of its class";
  }
}

// Its last step is the one in which the body ends, though in other executions of the class another one is.
TEST(CbPor, FindsAnOrderForAFailureThatCutsItsLastStepShort) {
  static counting_semaphore<> permits{0};
  static atomic<int> of_body{0};
  static atomic<int> of_worker{0};
  const auto body = [] {
    thread([] {
      permits.release();
      permits.release();
      of_worker.fetch_add(1);
    }).detach();
    permits.acquire();
    of_body.fetch_add(1);
  };
  for (const char* strategy : {"cb-por", "cb-por-basic"}) {
    Options options = with(strategy, unbounded);
    options.keep_going = true;
    const Report report = explore("worker", body, options);
    ASSERT_FALSE(report.failures.empty()) << report;
    EXPECT_EQ(report.failures[0].kind, FailureKind::leak) << report;
  }
}

TEST(CbPor, CutsNoRunShortAndCbPorBasicDoes) {
  const Report por = explore("increments", three_threads_of_three_increments_of_two, with("cb-por"));
  const Report basic = explore("increments", three_threads_of_three_increments_of_two, with("cb-por-basic"));
  EXPECT_EQ(por.pruned, 0U);
  EXPECT_GT(basic.pruned, 0U);
  EXPECT_EQ(por.executions, por.classes);
  EXPECT_EQ(basic.executions, basic.classes);
  EXPECT_EQ(por.classes, basic.classes);
}

TEST(CbPor, StopsAtTheLastBoundAndSaysThatThereIsMore) {
  const Report report = explore("increments", three_threads_of_three_increments_of_two, with("cb-por", 1));
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound);
  EXPECT_EQ(report.bounds.size(), 2U);
}

TEST(CbPor, RecognisesABodyThatIsNotDeterministic) {
  static int calls;
  for (const char* strategy : {"cb-por", "cb-por-basic", "icb-por"}) {
    calls = 0;
    const Report report = explore(
        "forgetful",
        [] {
          atomic<int> x{0};
          const bool odd = ++calls % 2 != 0;
          in_parallel([&] { odd ? x.store(1) : void(x.load()); }, [&] { x.store(2), x.store(3); });
        },
        with(strategy));
    EXPECT_EQ(report.verdict, Verdict::nondeterministic) << strategy;
    EXPECT_THAT(report.explanation, HasSubstr("under the same schedule, step ")) << strategy;
  }
}

TEST(CbPor, FindsMisuseThatEndsAnExecutionInTheMiddleOfAStep) {
  const auto body = [] {
    counting_semaphore<1> s(0);
    thread a([&] { s.release(); });
    thread b([&] { s.release(); });
    s.acquire();
    a.join();
    b.join();
  };
  for (const char* strategy : {"icb", "hb-cache", "icb-por", "cb-por", "cb-por-basic"}) {
    const Report report = explore("released twice", body, with(strategy));
    ASSERT_EQ(report.verdict, Verdict::failed) << strategy << report;
    EXPECT_EQ(report.failures[0].kind, FailureKind::misuse) << strategy;
  }
}

TEST(CbPor, StopsAtATimeLimitInTheMiddleOfAnExecutionWithTooManyCuts) {
  for (const char* strategy : {"cb-por", "cb-por-basic"}) {
    Options options = with(strategy);
    options.time_limit = std::chrono::milliseconds(200);
    const Report report = explore(
        "thirty readers",
        [] {
          atomic<int> x{0};
          in_parallel_each(30, [&](unsigned) { x.load(); });
        },
        options);
    EXPECT_EQ(report.verdict, Verdict::stopped) << strategy;
    EXPECT_LT(report.seconds, 30) << strategy;
  }
}

TEST(CbPor, EndsWhenAClassComesTwiceBecauseThreadsShareWhatItCannotSee) {
  const Report report = explore(
      "shared pointer",
      [] {
        auto shared = std::make_shared<atomic<int>>(0);
        thread a([shared] { shared->load(); });
        thread b([shared] { shared->load(); });
        shared.reset();
        a.join();
        b.join();
      },
      with("cb-por"));
  EXPECT_EQ(report.verdict, Verdict::nondeterministic);
  EXPECT_THAT(
      report.explanation, HasSubstr("Perhaps the threads share something that is not a hocket:: type"));
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
    return explore(
        "early or late",
        [=] {
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
        },
        with("idfs"))
        .executions;
  };
  EXPECT_LT(executions_until(true), executions_until(false));
}

// ---------------------------------------------------------------------------------------------------------------------
// Samples

TEST(Pct, RunsTheSameExecutionsForTheSameSeed) {
  Options options = with("pct");
  options.max_executions = 300;
  const auto classes = [&](std::uint64_t seed) {
    options.seed = seed;
    return explore("increments", three_threads_of_three_increments_of_two, options).classes;
  };
  EXPECT_EQ(classes(7), classes(7));
  EXPECT_EQ(explore("increments", three_threads_of_three_increments_of_two, options).verdict,
      Verdict::passed_sample);
}

TEST(Pct, GivesWayWhereAThreadSpins) {
  Options options = with("pct");
  options.max_executions = 200;
  options.max_steps = 500;
  const Report report = explore(
      "spinning",
      [] {
        atomic<bool> ready{false};
        in_parallel(
            [&] {
              while (!ready.load()) this_thread::yield();
            },
            [&] { ready.store(true); });
      },
      options);
  EXPECT_EQ(report.verdict, Verdict::passed_sample) << report;
}

TEST(Pct, FindsABugOfItsDepth) {
  Options options = with("pct");
  options.pct_depth = 2;
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
    Options options = with("pct");
    options.seed = seed;
    EXPECT_EQ(explore("beside a poll", fails_beside_a_long_poll, options).verdict, Verdict::failed)
        << "seed " << seed;
  }
  EXPECT_EQ(explore("beside a poll", fails_beside_a_long_poll, with("random")).verdict, Verdict::failed);
}

TEST(AStrategy, ThatDoesNotExistIsRefusedWithTheNamesOfThoseThatDo) {
  try {
    explore(
        "any", [] {}, with("bfs"));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(
        error.what(), HasSubstr("there is no strategy \"bfs\"; the strategies are auto, icb, hb-cache, "));
    EXPECT_THAT(error.what(), HasSubstr(" and cb-por-basic"));
  }
}

}  // namespace

}  // namespace hocket::test
