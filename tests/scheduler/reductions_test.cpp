// What is particular to the strategies that leave out orders of independent steps: icb-por, cb-por and dpor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <hocket/hocket.hpp>

#include "tests/support/bodies.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;

// ---------------------------------------------------------------------------------------------------------------------
// icb-por

TEST(IcbPor, RunsThreadsThatShareNothingOnce) {
  const Report report = report_of(with("icb-por"), [] {
    std::array<mutex, 27> mutexes{};
    in_parallel_each(27, [&](unsigned n) { const std::lock_guard lock(mutexes[n]); });
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
  EXPECT_EQ(report.executions, 1U);
}

TEST(IcbPor, IsRecommendedWhereIcbIsLostInOrdersOfIndependentSteps) {
  const auto body = [] {
    atomic<int> x{0};
    in_parallel_each(16, [&](unsigned) { x.load(); });
  };
  const std::string text =
      to_text(explore("readers", body, exhaustively({.strategy = "icb", .max_executions = 1000})));
  EXPECT_THAT(text,
      HasSubstr("These executions were of 1 class: the others differed only in the order of independent "
                "steps. Try --hocket_strategy=icb-por, which leaves out most such orders.\n"));
  EXPECT_EQ(explore("readers", body, with("icb-por")).executions, 1U);
}

TEST(IcbPor, RunsTwoOfThirtyThreadsInBothOrdersIfTheyConflict) {
  std::set<int> last;
  const Report report = report_of(with("icb-por"), [&] {
    std::array<atomic<int>, 30> written{};
    in_parallel_each(30, [&](unsigned n) { written[n == 20 ? 7 : n].store(static_cast<int>(n) + 1); });
    last.insert(written[7].load());
  });
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
    in_parallel(
        [&] {
          static_cast<void>(choose(2));
          std::unique_lock lock(m);
          c.wait(lock);
        },
        [&] {
          c.notify_one();
          third = thread([&] {
            const mutex own;
            x.store(0);
          });
          const std::lock_guard lock(m);
          x.store(1);
        });
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
      in_parallel(
          [&] {
            const std::lock_guard lock(outer);
            chooses = thread([&] {
              static_cast<void>(choose(2));
              if (locks) const std::lock_guard also(inner);
            });
            const no_preemption guard;
            const std::lock_guard within(inner);
          },
          [&] { const std::lock_guard lock(inner); });
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
    const Report report = explore("detaches", body, quietly({.strategy = strategy, .max_preemptions = 1}));
    EXPECT_EQ(report.verdict, Verdict::failed) << report;
    ASSERT_EQ(report.failures.size(), 1U);
    EXPECT_EQ(report.failures[0].bound, 1U);
  }
}

TEST(IcbPor, SeesWhatThreadsWouldHaveDoneAfterAFailure) {
  std::set<int> seen;
  report_of(exhaustively({.strategy = "icb-por", .keep_going = true}), [&] {
    atomic<int> x{0};
    atomic<int> y{0};
    in_parallel([&] { x.store(1), y.store(1), check(false, "always"); }, [&] { seen.insert(x.load()); });
  });
  EXPECT_EQ(seen, (std::set<int>{0, 1}));
}

// ---------------------------------------------------------------------------------------------------------------------
// cb-por

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
    const Report report = explore("worker", body, exhaustively({.strategy = strategy, .keep_going = true}));
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
    const Report report = report_of(with(strategy), [] {
      atomic<int> x{0};
      const bool odd = ++calls % 2 != 0;
      in_parallel([&] { odd ? x.store(1) : void(x.load()); }, [&] { x.store(2), x.store(3); });
    });
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
    const Report report =
        report_of(exhaustively({.strategy = strategy, .time_limit = std::chrono::milliseconds(200)}), [] {
          atomic<int> x{0};
          in_parallel_each(30, [&](unsigned) { x.load(); });
        });
    EXPECT_EQ(report.verdict, Verdict::stopped) << strategy;
    EXPECT_LT(report.seconds, 30) << strategy;
  }
}

TEST(CbPor, EndsWhenAClassComesTwiceBecauseThreadsShareWhatItCannotSee) {
  const Report report = report_of(with("cb-por"), [] {
    auto shared = std::make_shared<atomic<int>>(0);
    thread a([shared] { shared->load(); });
    thread b([shared] { shared->load(); });
    shared.reset();
    a.join();
    b.join();
  });
  EXPECT_EQ(report.verdict, Verdict::nondeterministic);
  EXPECT_THAT(
      report.explanation, HasSubstr("Perhaps the threads share something that is not a hocket:: type"));
}

}  // namespace

}  // namespace hocket::test
