// A search that keeps going is not stopped by a data race: it finds what comes after it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "scheduler/schedules/schedule.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/folder.hpp"

namespace hocket::test {

namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::multiset<FailureKind> kinds(const Report& report) {
  std::multiset<FailureKind> all;
  for (const FoundFailure& failure : report.failures) all.insert(failure.kind);
  return all;
}

/// A race on `total`, and behind it a deadlock of two locks.
void race_and_deadlock() {
  var<int> total{0};
  mutex first;
  mutex second;
  const auto work = [&](mutex& one, mutex& other) {
    total = total + 1;
    const std::lock_guard outer(one);
    const std::lock_guard inner(other);
  };
  in_parallel([&] { work(first, second); }, [&] { work(second, first); });
}

/// Two races within one step.
void two_races() {
  var<int> one{0};
  var<int> other{0};
  const auto work = [&] {
    one = 1;
    other = 1;
  };
  in_parallel(work, work);
}

constexpr const char* kOfRaces[] = {"auto", "icb", "icb-por", "cb-por", "dpor", "hb-cache", "dfs-sleep"};

TEST(ASearchThatKeepsGoing, FindsTheDeadlockBehindARaceByEveryStrategy) {
  for (const char* const strategy : kOfRaces) {
    const Report report = explore(
        "race and deadlock", race_and_deadlock, exhaustively({.strategy = strategy, .keep_going = true}));
    EXPECT_EQ(kinds(report).count(FailureKind::deadlock), 1U) << report;
    EXPECT_EQ(report.failures.front().kind, FailureKind::data_race) << "the likely cause comes first";
    EXPECT_EQ(report.stopped_by, "");
    EXPECT_THAT(report.note, HasSubstr("executions went on past data races"));
  }
}

TEST(ASearchThatKeepsGoing, FindsTheRaceWithAStoreThatAPlainWriteOfTheSameValueHides) {
  const auto body = [] {
    var<int> value{0};
    const auto write = [&] {
      atomic_ref(value).store(1);
      value = 1;  // nothing comes with it
    };
    in_parallel(write, [&] {
      if (atomic_ref(value).load(memory_order_acquire) == 1) static_cast<void>(static_cast<int>(value));
    });
  };
  for (const MemoryModel model : {MemoryModel::sc, MemoryModel::c11}) {
    const Report report =
        explore("a store behind a write", body, exhaustively({.keep_going = true, .memory_model = model}));
    EXPECT_THAT(report.failures,
        Contains(Field(&FoundFailure::message, HasSubstr("not ordered after the atomic write"))))
        << report;
  }
}

TEST(ASearchThatKeepsGoing, KnowsARaceOfAnAtomicOperationAgainWhetherItIsObservedOrNot) {
  const auto body = [] {
    var<int> value{0};
    in_parallel([&] { static_cast<void>(static_cast<int>(value)); }, [&] { atomic_ref(value).store(0); });
  };
  for (const char* const strategy : kOfRaces) {
    const Report report =
        explore("read and store", body, exhaustively({.strategy = strategy, .keep_going = true}));
    EXPECT_EQ(report.verdict, Verdict::failed) << report;
    EXPECT_EQ(kinds(report), std::multiset{FailureKind::data_race}) << report;
  }
}

TEST(ASearchThatKeepsGoing, FindsTheFailureBehindARaceBySamplingToo) {
  const Report report = explore("race and deadlock", race_and_deadlock,
      exhaustively({.strategy = "random", .max_executions = 500, .keep_going = true}));
  EXPECT_EQ(kinds(report).count(FailureKind::deadlock), 1U) << report;
}

TEST(ASearchThatKeepsGoing, FindsEachRaceOfAStep) {
  const Report report = explore("two races", two_races, exhaustively({.keep_going = true}));
  EXPECT_EQ(kinds(report), (std::multiset{FailureKind::data_race, FailureKind::data_race})) << report;
}

TEST(ASearchThatKeepsGoing, CountsExecutionsThatGoPastARaceAsFailed) {
  const Report report = explore("two races", two_races, exhaustively({.keep_going = true}));
  EXPECT_EQ(report.classes, 0U) << report;
  EXPECT_GT(report.failed_classes, 0U);
}

TEST(ASearchThatKeepsGoing, KeepsItsStrategyPastRaces) {
  const auto body = [] {
    var<int> total{0};
    atomic<int> one{0};
    atomic<int> other{0};
    const auto work = [&](atomic<int>& first, atomic<int>& second) {
      total = total + 1;
      first.fetch_add(1);
      static_cast<void>(second.load());
      total = 0;
    };
    in_parallel([&] { work(one, other); }, [&] { work(other, one); }, [&] { work(one, one); });
  };
  for (const char* const strategy : kOfRaces) {
    const Report report =
        explore("three", body, quietly({.strategy = strategy, .max_preemptions = 2, .keep_going = true}));
    EXPECT_EQ(report.strategy, strategy) << report;
    EXPECT_THAT(report.note, Not(HasSubstr("same happens-before graph"))) << strategy;
    EXPECT_EQ(report.classes, 0U) << report;
  }
}

TEST(ASearchThatStopsAtTheFirstFailure, StopsAtARace) {
  EXPECT_EQ(kinds(explore("race and deadlock", race_and_deadlock, exhaustively())),
      std::multiset{FailureKind::data_race});
}

TEST(AFailureBehindARace, ComesAgainFromItsFile) {
  for (void (*const body)() : {&race_and_deadlock, &two_races}) {
    const Folder folder;
    Options options = exhaustively({.keep_going = true});
    options.save_schedules = true;
    options.schedule_dir = folder.path().string();
    const Report report = explore("behind", body, options);
    ASSERT_GT(report.failures.size(), 1U);
    unsigned behind = 0;
    for (const FoundFailure& failure : report.failures) {
      behind += read_schedule(failure.schedule_file).passed_races != 0 ? 1U : 0U;
      const Report again = explore("behind", body, exhaustively({.replay = failure.schedule_file}));
      EXPECT_EQ(again.verdict, Verdict::failed) << again;
      EXPECT_EQ(again.failures.at(0).message, failure.message);
      EXPECT_EQ(again.failures.at(0).differs_from_file, "");
    }
    EXPECT_GT(behind, 0U);
  }
}

TEST(AnAtomicOperationThatRaces, OrdersWhatComesAfterItAllTheSame) {
  const auto body = [] {
    var<int> published{0};
    var<int> flag{0};
    in_parallel(
        [&] {
          published = 1;
          atomic_ref(flag).store(1, memory_order_release);
        },
        [&] {
          if (atomic_ref(flag).load(memory_order_acquire) == 1) check(published == 1);
        },
        [&] { flag = 2; });
  };
  const Report report = explore("published", body, exhaustively({.keep_going = true}));
  ASSERT_THAT(report.failures, Not(SizeIs(0)));
  for (const FoundFailure& failure : report.failures)
    EXPECT_THAT(failure.message, Not(HasSubstr("published"))) << failure.message;
  EXPECT_THAT(report.failures, SizeIs(2)) << report;  // the plain write with the store, and with the load
}

}  // namespace

}  // namespace hocket::test
