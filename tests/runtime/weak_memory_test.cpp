// What tests find under the C++ memory model, and what reports say of it. That searches find exactly what the
// model allows is checked on random programs (properties/weak_properties_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "scheduler/schedules/schedule.hpp"
#include "scheduler/schedules/schedule_file.hpp"

#include "tests/support/bodies.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/failure_of.hpp"
#include "tests/support/folder.hpp"

namespace hocket::test {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kSeqCst = std::memory_order_seq_cst;

/// The options of a search under the C++ memory model.
Options weakly(Options options = {}) {
  options.minimize = std::chrono::hours(1);  // also in builds that are slow
  options.memory_model = MemoryModel::c11;
  return quietly(options);
}

using Outcomes = std::set<std::array<int, 2>>;

/// Each thread stores to its own atomic and loads the other's.
void store_and_look(std::memory_order order, Outcomes& outcomes) {
  atomic<int> x{0};
  atomic<int> y{0};
  std::array<int, 2> seen{};
  const auto side = [order](atomic<int>& mine, atomic<int>& other, int& found) {
    return [&, order] {
      mine.store(1, order == kSeqCst ? order : std::memory_order_release);
      found = other.load(order == kSeqCst ? order : std::memory_order_acquire);
    };
  };
  in_parallel(side(x, y, seen[0]), side(y, x, seen[1]));
  outcomes.insert(seen);
}

Outcomes outcomes_of_stores_and_looks(std::memory_order order, const Options& options) {
  Outcomes outcomes;
  expect_to_pass([&] { store_and_look(order, outcomes); }, options);
  return outcomes;
}

TEST(WeakMemory, TwoThreadsMissEachOthersStoreUnlessTheyAreSeqCst) {
  const std::array<int, 2> both_miss{0, 0};
  EXPECT_TRUE(outcomes_of_stores_and_looks(kRelaxed, weakly()).contains(both_miss));
  EXPECT_FALSE(
      outcomes_of_stores_and_looks(kRelaxed, quietly({.memory_model = MemoryModel::sc})).contains(both_miss));
  EXPECT_FALSE(outcomes_of_stores_and_looks(kSeqCst, weakly({.max_preemptions = 4})).contains(both_miss));
}

TEST(WeakMemory, IsExploredByDefaultWithStrategiesThatCan) {
  const std::array<int, 2> both_miss{0, 0};
  for (const char* strategy : {"auto", "icb", "hb-cache", "random"}) {
    Outcomes outcomes;
    const Report report = report_of(quietly(strategy), [&] { store_and_look(kRelaxed, outcomes); });
    EXPECT_TRUE(outcomes.contains(both_miss)) << report;
    EXPECT_EQ(report.memory_model, MemoryModel::c11) << report;
    EXPECT_TRUE(report.weaker_operations.empty()) << report;
  }
  for (const char* strategy : {"dpor", "icb-por"}) {
    Outcomes outcomes;
    const Report report = report_of(quietly(strategy), [&] { store_and_look(kRelaxed, outcomes); });
    EXPECT_FALSE(outcomes.contains(both_miss)) << report;
    EXPECT_EQ(report.memory_model, MemoryModel::sc) << report;
    EXPECT_EQ(report.weaker_operations.size(), 2U) << report;
    EXPECT_THAT(to_text(report), HasSubstr("all operations taken as seq_cst"));
  }
}

TEST(WeakMemory, OlderValuesAreLimitedByThemselvesAndAPassSaysSo) {
  const std::array<int, 2> both_miss{0, 0};
  Options options = weakly({.max_stale = 0});
  Outcomes outcomes;
  const auto body = [&] { store_and_look(kRelaxed, outcomes); };
  Report report = explore("limited", body, options);
  EXPECT_FALSE(outcomes.contains(both_miss));
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound);
  EXPECT_EQ(report.most_stale, 0U);
  EXPECT_THAT(
      to_text(report), HasSubstr("preemptions and stale reads, at most 0 of them stale (C++ memory model"));

  options.max_stale = 1;
  report = explore("limited", body, options);
  EXPECT_TRUE(outcomes.contains(both_miss));
  EXPECT_EQ(report.most_stale, 1U) << "a second one was left out";

  options.max_stale = 4;
  options.max_preemptions = unbounded;
  report = explore("limited", body, options);
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
  EXPECT_EQ(report.most_stale, std::nullopt) << "there were no more to leave out";
}

TEST(WeakMemory, AnOlderValueCostsAsMuchAsAPreemption) {
  const std::array<int, 2> both_miss{0, 0};
  EXPECT_FALSE(outcomes_of_stores_and_looks(kRelaxed, weakly({.max_preemptions = 0})).contains(both_miss));
  EXPECT_TRUE(outcomes_of_stores_and_looks(kRelaxed, weakly({.max_preemptions = 1})).contains(both_miss));
}

TEST(WeakMemory, ATestWithSeqCstOperationsOnlyIsSearchedAsWithoutTheModel) {
  Outcomes outcomes;
  const auto body = [&] { store_and_look(kSeqCst, outcomes); };
  const Report sc = explore("seq_cst", body, quietly({.memory_model = MemoryModel::sc}));
  const Report c11 = explore("seq_cst", body, weakly());
  EXPECT_EQ(c11.memory_model, MemoryModel::sc);
  EXPECT_EQ(c11.executions, sc.executions);
  EXPECT_EQ(c11.classes, sc.classes);
  EXPECT_EQ(c11.steps, sc.steps);
  EXPECT_EQ(c11.bound_unit, "preemption");
}

// It begins with the reductions that only sequential consistency allows.
TEST(WeakMemory, ALargeTestWithSeqCstOperationsOnlyIsReducedAsWithoutTheModel) {
  const auto body = [] {
    std::array<atomic<int>, 4> counters;
    in_parallel_each(4, [&](unsigned n) {
      for (int round = 0; round < 3; ++round) counters[n].store(round);
    });
  };
  const Report sc = explore("large", body, quietly({.max_preemptions = 4, .memory_model = MemoryModel::sc}));
  const Report c11 = explore("large", body, weakly({.max_preemptions = 4}));
  EXPECT_EQ(c11.executions, sc.executions);
  EXPECT_EQ(c11.pruned, sc.pruned);
}

TEST(WeakMemory, APassSaysWhatItIsAPassOf) {
  Outcomes outcomes;
  const Report report = report_of(weakly(), [&] { store_and_look(kRelaxed, outcomes); });
  EXPECT_EQ(report.memory_model, MemoryModel::c11);
  EXPECT_TRUE(report.weaker_operations.empty());
  EXPECT_THAT(to_text(report), HasSubstr("body: passed every schedule with at most 2 preemptions and stale "
                                         "reads (C++ memory model without load buffering): "));
}

/// The data is in an atomic, and nothing orders it with the flag.
void publish_relaxed() {
  atomic<int> value{0};
  atomic<int> ready{0};
  name(value, "value");
  in_parallel(
      [&] {
        value.store(42, kRelaxed);
        ready.store(1, kRelaxed);
      },
      [&] {
        if (ready.load(kRelaxed) != 0) check(value.load(kRelaxed) == 42, "value is there");
      });
}

TEST(WeakMemory, AFailureTellsWhichOlderValueWasReadAndThatNothingOrdersTheNewerOne) {
  const Report report = explore("publish", publish_relaxed, weakly());
  ASSERT_EQ(report.failures.size(), 1U) << report;
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("Found with 1 stale read and no preemption"));
  EXPECT_THAT(text, HasSubstr("thread 2 does not read the newest value in step 5, atomic.load of value at "));
  EXPECT_THAT(text, HasSubstr(", but 0, the first value. Nothing orders step 1, in which thread 1 stores 42, "
                              "before that.\n"));
  EXPECT_THAT(text, HasSubstr("atomic.load value → 0 (relaxed)"));
  EXPECT_THAT(text, HasSubstr("  stale: step 1 stored 42\n"));
  EXPECT_FALSE(explore("publish", publish_relaxed, quietly({.memory_model = MemoryModel::sc})).failed());
}

/// What would forbid the failure of `body`, which has one under the C++ memory model.
std::string remedy_for(const std::function<void()>& body) {
  const FoundFailure failure = failure_of(body, weakly());
  return failure.schedule == nullptr ? std::string{} : failure.schedule->remedy;
}

TEST(WeakMemory, AFailureSaysWhichOrdersWouldForbidItAndThoseWereTried) {
  const Report report = explore("publish", publish_relaxed, weakly());
  ASSERT_EQ(report.failures.size(), 1U) << report;
  const std::string& remedy = report.failures[0].schedule->remedy;
  EXPECT_THAT(remedy, HasSubstr("release for atomic.store of "));
  EXPECT_THAT(remedy, HasSubstr(", and acquire for atomic.load of "));
  EXPECT_THAT(remedy, HasSubstr(" (tried with up to 2 preemptions and stale reads)"));
  EXPECT_THAT(to_text(report), HasSubstr("What would forbid it, and was tried: " + remedy + ".\n"));
}

// A seqlock without fences fails with one preemption and one stale read. Stronger orders at two places forbid
// that, and not what comes at the next bound.
TEST(WeakMemory, OrdersThatForbidOnlyTheCheapestFailuresAreNoAdvice) {
  const std::string remedy = remedy_for([] {
    atomic<int> number{0};
    atomic<int> low{0};
    atomic<int> high{0};
    name(number, "number");
    name(low, "low");
    in_parallel(
        [&] {
          number.store(1, kRelaxed);
          low.store(1, kRelaxed);
          high.store(1, kRelaxed);
          number.store(2, std::memory_order_release);
        },
        [&] {
          const int before = number.load(std::memory_order_acquire);
          const int one = low.load(kRelaxed);
          const int other = high.load(kRelaxed);
          if (before == number.load(kRelaxed) && before % 2 == 0) check(one == other, "torn");
        });
  });
  EXPECT_THAT(remedy, StartsWith("a release fence before atomic.store of low at "));
  EXPECT_THAT(remedy, HasSubstr(", and an acquire fence before atomic.load of number at "));
  EXPECT_THAT(remedy, HasSubstr(" (tried with up to 3 preemptions and stale reads)"));
}

// The line that stores asks for release, too, and is made no weaker than that where it does.
TEST(WeakMemory, ALineThatRunsWithSeveralOrdersIsGivenTheWeakestThatWillDo) {
  const std::string remedy = remedy_for([] {
    atomic<int> value{0};
    atomic<int> ready{0};
    in_parallel(
        [&] {
          const auto put = [](atomic<int>& to, int what, std::memory_order order) { to.store(what, order); };
          put(value, 42, kRelaxed);
          put(ready, 1, kRelaxed);
          put(value, 42, std::memory_order_release);
        },
        [&] {
          if (ready.load(std::memory_order_acquire) != 0) check(value.load(kRelaxed) == 42, "value is there");
        });
  });
  EXPECT_THAT(remedy, StartsWith("release for atomic.store of "));
}

TEST(WeakMemory, OfAChainOfMessagesEachLinkIsGivenTheWeakestOrderThatWillDo) {
  const std::string remedy = remedy_for([] {
    atomic<int> value{0};
    atomic<int> ready{0};
    atomic<int> told{0};
    name(ready, "ready");
    name(told, "told");
    in_parallel(
        [&] {
          value.store(42, kRelaxed);
          ready.store(1, kRelaxed);
        },
        [&] {
          if (ready.load(kRelaxed) == 0) return;
          told.store(1, kRelaxed);
        },
        [&] {
          if (told.load(kRelaxed) == 0) return;
          check(value.load(kRelaxed) == 42, "value is there");
        });
  });
  EXPECT_THAT(remedy, StartsWith("release for atomic.store of ready at "));
  EXPECT_THAT(remedy, HasSubstr(", acquire for atomic.load of ready at "));
  EXPECT_THAT(remedy, HasSubstr(", release for atomic.store of told at "));
  EXPECT_THAT(remedy, HasSubstr(", acquire for atomic.load of told at "));
}

TEST(WeakMemory, AStoreThatIsFollowedByALoadNeedsASeqCstFence) {
  const Report report = report_of(weakly(), [] {
    atomic<int> one{0};
    atomic<int> other{0};
    int inside = 0;
    const auto enter = [&inside](atomic<int>& mine, atomic<int>& its) {
      return [&] {
        mine.store(1, std::memory_order_release);
        if (its.load(std::memory_order_acquire) == 0) check(++inside == 1, "alone");
      };
    };
    name(one, "one");
    name(other, "other");
    in_parallel(enter(one, other), enter(other, one));
  });
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_THAT(report.failures[0].schedule->remedy, HasSubstr("a seq_cst fence before atomic.load of "));
  EXPECT_THAT(to_text(report),
      HasSubstr("Each misses the other's store: thread 2 stores to other in step 1 and then reads one in "
                "step 2, without what thread 1 stores there in step 3; thread 1 then reads other in step 4, "
                "without that of step 1.\n"));
}

TEST(WeakMemory, AStoreThatComesBeforeAnOlderOneIsNoStaleRead) {
  const Report report = report_of(weakly(), [] {
    atomic<int> x{0};
    atomic<int> y{0};
    const auto twice = [](atomic<int>& first, atomic<int>& second) {
      return [&] {
        first.store(1, kRelaxed);
        second.store(2, kRelaxed);
      };
    };
    in_parallel(twice(x, y), twice(y, x));
    check(x.load() == 2 || y.load() == 2, "a second store wins");
  });
  ASSERT_EQ(report.failures.size(), 1U) << report;
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("Found with 1 early store and no preemption"));
  EXPECT_THAT(text, Not(HasSubstr("misses the other's store")));
}

TEST(WeakMemory, AFailureSaysWhetherX86DoesIt) {
  const auto hardware = [](const std::function<void()>& body) {
    const Report report = explore("hardware", body, weakly({.max_preemptions = 3}));
    EXPECT_EQ(report.failures.size(), 1U) << report;
    return report.failures.empty() ? std::string{} : report.failures[0].schedule->hardware;
  };
  const auto look = [](std::memory_order store, std::memory_order load, bool has_one_fence) {
    return [=] {
      atomic<int> x{0};
      atomic<int> y{0};
      std::array<int, 2> seen{};
      in_parallel(
          [&] {
            x.store(1, store);
            if (has_one_fence) hocket::atomic_thread_fence(kSeqCst);
            seen[0] = y.load(load);
          },
          [&] {
            y.store(1, store);
            seen[1] = x.load(load);
          });
      check(seen[0] + seen[1] != 0, "one of them has seen the other");
    };
  };
  const auto is_done = HasSubstr("x86 does this");
  const auto is_not_done = HasSubstr("x86 does not do this");
  // Stores wait in the buffers while the loads are done.
  EXPECT_THAT(hardware(look(kRelaxed, kRelaxed, false)), is_done);
  EXPECT_THAT(hardware(look(std::memory_order_release, kSeqCst, false)), is_done);
  EXPECT_THAT(hardware(look(kRelaxed, kRelaxed, true)), is_done) << "the other thread has no fence";
  // Stores are seen in their order, and loads are done in theirs.
  EXPECT_THAT(hardware(publish_relaxed), is_not_done);
  // A locked instruction waits until all stores before it are seen.
  EXPECT_THAT(hardware([] {
    atomic<int> x{0};
    atomic<int> y{0};
    std::array<int, 2> seen{};
    in_parallel(
        [&] {
          x.exchange(1, kRelaxed);
          seen[0] = y.load(kRelaxed);
        },
        [&] {
          y.exchange(1, kRelaxed);
          seen[1] = x.load(kRelaxed);
        });
    check(seen[0] + seen[1] != 0, "one of them has seen the other");
  }),
      is_not_done);
  // Two readers that see two stores in different orders: on x86 all see stores in one order.
  EXPECT_THAT(hardware([] {
    atomic<int> x{0};
    atomic<int> y{0};
    std::array<int, 4> seen{};
    const auto read = [](atomic<int>& one, int& first, atomic<int>& other, int& second) {
      return [&] {
        first = one.load(std::memory_order_acquire);
        second = other.load(std::memory_order_acquire);
      };
    };
    in_parallel([&] { x.store(1, std::memory_order_release); },
        [&] { y.store(1, std::memory_order_release); }, read(x, seen[0], y, seen[1]),
        read(y, seen[2], x, seen[3]));
    check(seen != std::array<int, 4>{1, 0, 1, 0}, "in one order");
  }),
      is_not_done);
}

TEST(WeakMemory, AFailureIsReplayedFromItsFile) {
  const std::filesystem::path directory =
      std::filesystem::path(::testing::TempDir()) / "hocket_weak_memory_test";
  std::filesystem::remove_all(directory);
  Options options = weakly();
  options.save_schedules = true;
  options.schedule_dir = directory.string();
  const Report found = explore("publish", publish_relaxed, options);
  ASSERT_EQ(found.failures.size(), 1U) << found;
  Options replay = quietly();  // the file says under which model
  replay.replay = found.failures[0].schedule_file;
  const Report again = explore("publish", publish_relaxed, replay);
  EXPECT_EQ(again.verdict, Verdict::failed) << again;
  ASSERT_EQ(again.failures.size(), 1U);
  EXPECT_EQ(again.failures[0].message, found.failures[0].message);
  const auto& choices = again.failures[0].schedule->choices;
  ASSERT_FALSE(choices.empty());
  EXPECT_TRUE(choices.back().chooses_store);
  EXPECT_EQ(choices.back().seen.step, 0U);
  EXPECT_EQ(choices.back().newest.value, "42");
  std::filesystem::remove_all(directory);
}

// The rules of a search change when it meets a weaker order, and with them the file that a crash leaves.
TEST(WeakMemory, ACrashIsReplayedFromItsFile) {
  const Folder folder;
  Options options = weakly();
  options.save_schedules = true;
  options.schedule_dir = folder.path();
  const auto crash_if_stale = [] {
    atomic<int> value{0};
    atomic<int> ready{0};
    in_parallel(
        [&] {
          value.store(42, kRelaxed);
          ready.store(1, kRelaxed);
        },
        [&] {
          if (ready.load(kRelaxed) == 1 && value.load(kRelaxed) == 0) std::raise(SIGABRT);
        });
  };
  const auto crashes = [&] {
    return in_supervised_child([&] { explore("crash", crash_if_stale, options); }).exited_with(1);
  };
  EXPECT_TRUE(crashes());
  options.replay = (folder.path() / "crash.schedule.json").string();
  const Schedule written = read_schedule(options.replay);
  EXPECT_TRUE(written.keeps_stores);
  EXPECT_FALSE(written.complete);
  EXPECT_TRUE(crashes());
  EXPECT_TRUE(read_schedule(options.replay).complete);
}

TEST(WeakMemory, ReleaseAndAcquireOrderWhatWasStoredBefore) {
  expect_to_pass(weakly({.max_preemptions = 4}), [] {
    atomic<int> value{0};
    atomic<int> ready{0};
    in_parallel(
        [&] {
          value.store(42, kRelaxed);
          ready.store(1, std::memory_order_release);
        },
        [&] {
          if (ready.load(std::memory_order_acquire) != 0) check(value.load(kRelaxed) == 42, "");
        });
  });
}

TEST(WeakMemory, ALockOrdersWhatWasStoredBefore) {
  expect_to_pass(weakly({.max_preemptions = 3}), [] {
    mutex mutex;
    atomic<int> value{0};
    int sections = 0;
    const auto section = [&] {
      const std::scoped_lock lock(mutex);
      check(value.load(kRelaxed) == sections, "the value of the last section");
      value.store(++sections, kRelaxed);
    };
    in_parallel(section, section);
  });
}

/// Two threads that enter a section guarded by a store and a load each, of release and acquire.
void race_for_guarded_data() {
  atomic<int> one{0};
  atomic<int> other{0};
  var<int> data{0};
  const auto enter = [&data](atomic<int>& mine, atomic<int>& its) {
    return [&] {
      mine.store(1, std::memory_order_release);
      if (its.load(std::memory_order_acquire) == 0) data = data + 1;
    };
  };
  in_parallel(enter(one, other), enter(other, one));
}

TEST(WeakMemory, DataThatALockOfStoresAndLoadsShouldProtectIsRacedFor) {
  EXPECT_EQ(failure_of(race_for_guarded_data, weakly()).kind, FailureKind::data_race);
  expect_to_pass(race_for_guarded_data, quietly({.memory_model = MemoryModel::sc}));
}

// An execution that goes past a race has not passed.
TEST(WeakMemory, WhatForbidsARaceIsTriedWithoutGoingPastIt) {
  const Report report = explore("past", race_for_guarded_data, weakly({.keep_going = true}));
  ASSERT_FALSE(report.failures.empty()) << report;
  EXPECT_THAT(report.failures[0].schedule->remedy, HasSubstr("a seq_cst fence before atomic.load of "));
}

// The choice of a store has no row of its own, so a report that named it would lead nowhere.
TEST(WeakMemory, AStaleReadNamesTheStepThatStoredAndNotTheChoiceOfWhereItsStoreComes) {
  const FoundFailure failure = failure_of(weakly(), [] {
    atomic<int> x{0};
    atomic<int> ready{0};
    const auto store = [&] {
      x.store(1, kRelaxed);
      ready.fetch_add(1, kRelaxed);
    };
    in_parallel(
        store, store, [&] { check(ready.load(kRelaxed) != 2 || x.load(kRelaxed) != 0, "x is there"); });
  });
  const auto& choices = failure.schedule->choices;
  ASSERT_TRUE(choices.back().chooses_store && choices.back().code != 0);
  const std::uint32_t newest = choices.back().newest.step;
  EXPECT_FALSE(choices.at(newest - 1).is_value);
  EXPECT_TRUE(choices.at(newest).chooses_store) << "there was a choice of where the store comes: ";
}

// It would sleep for ever if what it had read counted as the newest value.
TEST(WeakMemory, AnAwaitThatHasReadAnOlderValueLooksAgain) {
  Options options = weakly({.max_preemptions = unbounded});
  for (const char* strategy : {"icb", "auto", "hb-cache"}) {
    options.strategy = strategy;
    expect_to_pass(options, [] {
      atomic<int> ready{0};
      in_parallel(
          [&] { ready.store(1, kRelaxed); }, [&] { await([&] { return ready.load(kRelaxed) == 1; }); });
    });
  }
}

// A graph tells which values were read, and in which order they were stored, and nothing else.
TEST(WeakMemory, ClassesOfAwaitsAreTheGraphsOfTheMemoryModel) {
  const auto classes = [](const std::function<void()>& body) {
    Options options = weakly({.strategy = "icb", .max_preemptions = unbounded});
    const Report icb = explore("classes", body, options);
    options.strategy = "hb-cache";
    const Report hb_cache = explore("classes", body, options);
    EXPECT_EQ(icb.classes, hb_cache.classes);
    return icb.classes;
  };
  // It reads 1 at once, or 0 and then 1. Whether 0 was still the newest value then makes no difference.
  EXPECT_EQ(classes([] {
    atomic<int> ready{0};
    in_parallel([&] { ready.store(1, kRelaxed); }, [&] { await([&] { return ready.load(kRelaxed) == 1; }); });
  }),
      2U);
  // In either order of the two stores it ends with the first or the second, and has read 0 before or not.
  EXPECT_EQ(classes([] {
    atomic<int> x{0};
    in_parallel([&] { x.store(1, kRelaxed); }, [&] { x.store(2, kRelaxed); },
        [&] { await([&] { return x.load(kRelaxed) != 0; }); });
  }),
      8U);
}

/// Reads until the store arrives, and yields in between.
void poll(std::memory_order order) {
  atomic<int> ready{0};
  in_parallel([&] { ready.store(1, order); },
      [&] {
        while (ready.load(order) == 0) this_thread::yield();
      });
}

TEST(WeakMemory, ALoopThatPollsDoesNotReadOlderValuesForEver) {
  for (const char* strategy : {"auto", "icb", "dfs"}) {
    const Report report = explore(
        "poll", [] { poll(kRelaxed); },
        weakly({.strategy = strategy, .max_preemptions = unbounded, .max_steps = 100}));
    EXPECT_FALSE(report.failed()) << report;
    EXPECT_NE(report.verdict, Verdict::stopped) << report;
    EXPECT_NE(report.verdict, Verdict::passed_exhaustively) << report;
    EXPECT_THAT(report.note, HasSubstr("older values that a thread which yields in vain had read before"));
  }
  // With a bound each of them has its price.
  const Report report = report_of(weakly(), [] { poll(kRelaxed); });
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
  EXPECT_THAT(report.note, Not(HasSubstr("older values")));
}

TEST(WeakMemory, AWaitThatIsNotifiedAfterTheStoreEnds) {
  expect_to_pass(weakly({.max_preemptions = 4}), [] {
    atomic<int> ready{0};
    in_parallel(
        [&] {
          ready.store(1, kRelaxed);
          ready.notify_one();
        },
        [&] { ready.wait(0, kRelaxed); });
  });
}

TEST(WeakMemory, APlainWriteIsTheOnlyValueAfterwards) {
  expect_to_pass(weakly({.max_preemptions = 4}), [] {
    var<int> data{0};
    in_parallel([&] { atomic_ref(data).store(1, kRelaxed); }, [&] { atomic_ref(data).store(2, kRelaxed); });
    data = 7;
    in_parallel([&] { check(atomic_ref(data).load(kRelaxed) == 7, "as written"); });
  });
}

TEST(WeakMemory, OfALargeAtomicOnlyTheNewestValueIsReadAndTheReportSaysSo) {
  struct Large {
    std::array<long, 3> words;
  };
  std::set<long> seen_when_ready;
  const Report report = report_of(weakly({.max_preemptions = 3}), [&] {
    atomic<Large> data{Large{}};
    atomic<int> ready{0};
    in_parallel(
        [&] {
          data.store(Large{{1, 1, 1}}, kRelaxed);
          ready.store(1, kRelaxed);
        },
        [&] {
          if (ready.load(kRelaxed) == 1) seen_when_ready.insert(data.load(kRelaxed).words[0]);
        });
  });
  EXPECT_EQ(report.memory_model, MemoryModel::c11);
  EXPECT_THAT(seen_when_ready, ElementsAre(1));
  EXPECT_EQ(report.weaker_operations.size(), 2U) << report;
  EXPECT_THAT(to_text(report), HasSubstr(", some operations taken as seq_cst"));
}

TEST(WeakMemory, AStrategyThatDoesNotKnowTheModelIsRefusedWithThoseThatDo) {
  try {
    explore("refused", publish_relaxed, weakly({.strategy = "dpor"}));
    FAIL() << "it was not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
        "hocket: dpor cannot search under the C++ memory model; auto, icb, hb-cache, mix, pos, pct, urw, "
        "sticky, random and dfs can");
  }
}

TEST(WeakMemory, MoreValuesThanAChoiceHasAreCutOffAndTheReportSaysSo) {
  constexpr int kStores = 4'200;
  const auto body = [] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          for (int n = 1; n <= kStores; ++n) x.store(n, kRelaxed);
        },
        [&] { x.load(kRelaxed); });
  };
  const Report report = explore("many", body, weakly({.strategy = "icb", .max_preemptions = 0}));
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound);
  EXPECT_THAT(report.note, HasSubstr("could have read more than 4 096 values"));
}

// A choice of a value is no step: otherwise a test would reach the limit sooner than under sc.
TEST(WeakMemory, ChoicesOfValuesDoNotCountForTheLimitOfSteps) {
  expect_to_pass(weakly({.max_preemptions = 1, .max_steps = 12}), [] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          for (int n = 1; n <= 5; ++n) x.store(n, kRelaxed);
        },
        [&] {
          for (int n = 0; n < 5; ++n) x.load(kRelaxed);
        });
  });
}

}  // namespace

}  // namespace hocket::test
