// Data races: what is said about them, and what becomes of them in a search.
#include <gtest/gtest.h>

#include <array>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

// ---------------------------------------------------------------------------------------------------------------------
// What is said

TEST(RaceMessage, NamesBothAccessesAndTheMutexesHeld) {
  int write = 0;
  int read = 0;
  const FoundFailure failure = failure_of([&] {
    mutex m;
    var<int> total{0};
    name(m, "account lock");
    name(total, "total");
    thread t([&] {
      const std::lock_guard lock(m);
      write = __LINE__ + 1;
      total = 7;
    });
    read = __LINE__ + 1;
    static_cast<void>(total.get());
    t.join();
  });
  EXPECT_EQ(failure.kind, FailureKind::data_race);
  EXPECT_EQ(
      failure.message, "data race: thread 1 writes total at " + place(write) +
                           ", not ordered after the read by main at " + place(read) +
                           " (before the first step)\n"
                           "thread 1 holds account lock; main held no mutex\n"
                           "Hold the same mutex at both accesses, or make total atomic if its type can be, "
                           "or order them by memory_order_release and memory_order_acquire. While a program "
                           "has data races, a pass promises nothing.");
  EXPECT_EQ(failure.where, place(write));
}

TEST(RaceMessage, SaysThatALockHeldSharedDoesNotProtectAWrite) {
  const FoundFailure failure = failure_of([] {
    shared_mutex m;
    mutex of_one;
    var<int> hits{0};
    name(m, "cache lock");
    name(hits, "hits");
    const auto look_up = [&] {
      const std::shared_lock lock(m);
      ++hits;
    };
    in_parallel(look_up, [&] {
      const std::lock_guard lock(of_one);
      look_up();
    });
  });
  EXPECT_NE(failure.message.find(
                "\nA lock that is held shared, as by std::shared_lock, does not protect a write: hold cache "
                "lock exclusively where hits is written, or make hits atomic if its type can be. "),
      std::string::npos)
      << failure.message;
}

TEST(RaceMessage, NamesTheMemoryOrdersThatWouldHaveOrderedTheAccesses) {
  int store = 0;
  int load = 0;
  const FoundFailure failure = failure_of([&] {
    var<int> data{0};
    atomic<int> flag{0};
    name(flag, "flag");
    thread t([&] {
      data = 1;
      store = __LINE__ + 1;
      flag.store(1, memory_order_release);
    });
    load = __LINE__ + 1;
    if (flag.load(memory_order_relaxed) == 1) ++data;
    t.join();
  });
  EXPECT_NE(
      failure.message.find("main's atomic.load of flag at " + place(load) +
                           " (memory_order_relaxed) saw what thread 1's atomic.store at " + place(store) +
                           " (memory_order_release) left: with memory_order_acquire at the former the two "
                           "accesses would be ordered"),
      std::string::npos)
      << failure.message;
}

TEST(RaceMessage, NamesTheStoreThatWasReadIfItWasNotTheNewest) {
  int store = 0;
  const FoundFailure failure = failure_of([&] {
    var<int> data{0};
    atomic<int> slot{0};
    name(slot, "slot");
    in_parallel(
        [&] {
          static_cast<void>(data.get());
          slot.store(1, memory_order_release);
          store = __LINE__ + 1;
          slot.store(2, memory_order_relaxed);
          slot.store(3, memory_order_release);
        },
        [&] {
          if (slot.load(memory_order_acquire) == 2) data = 1;
        });
  });
  EXPECT_NE(
      failure.message.find("saw what thread 1's atomic.store at " + place(store) +
                           " (memory_order_relaxed) left: with memory_order_release at the latter the two "
                           "accesses would be ordered"),
      std::string::npos)
      << failure.message;
}

// ---------------------------------------------------------------------------------------------------------------------
// In a search

TEST(RacesInASearch, OfTheSameTwoLinesAreOneFailureWhoeverComesFirst) {
  const Report report = report_of(exhaustively({.keep_going = true}), [] {
    var<int> total{0};
    const auto add = [&] { ++total; };
    in_parallel(add, add, add);
  });
  EXPECT_EQ(report.failures.size(), 1U) << report;
}

TEST(RacesInASearch, OfOtherLinesAreOtherFailures) {
  const Report report = report_of(exhaustively({.keep_going = true}), [] {
    var<int> one{0};
    atomic<int> a{0};
    in_parallel(
        [&] {
          a.store(1, memory_order_relaxed);
          one = 1;
        },
        [&] {
          if (a.load(memory_order_relaxed) == 0) {
            one = 2;
          } else {
            one = 3;
          }
        });
  });
  EXPECT_EQ(report.failures.size(), 2U) << report;
}

TEST(RacesInASearch, AreNotLookedForWithoutTheirDetector) {
  const auto body = [] {
    var<int> total{0};
    in_parallel([&] { ++total; }, [&] { ++total; });
  };
  const Report report =
      explore("races", body, exhaustively({.detect = Detectors().without(Detector::races)}));
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_NE(report.note.find("data races were not looked for"), std::string::npos) << report;
}

TEST(RacesInASearch, AreNotMissedWhereNoTwoThreadsShareAVar) {
  const Report report = report_of(exhaustively({.detect = Detectors().without(Detector::races)}), [] {
    in_parallel(
        [] {
          var<int> mine{0};
          ++mine;
        },
        [] {});
  });
  EXPECT_EQ(report.note, "") << report;
}

TEST(RacesInASearch, AreFoundOnVarsOutsideTheBody) {
  var<int> total{0};
  const auto body = [&] { in_parallel([&] { ++total; }, [&] { static_cast<void>(total.get()); }); };
  EXPECT_EQ(failure_of(body).kind, FailureKind::data_race);
  expect_to_pass([&] { in_parallel([&] { return total.get(); }, [&] { return total.get(); }); });
}

TEST(RacesInASearch, CountWithManyThreads) {
  const auto body = [](bool all) {
    return [all] {
      std::array<var<int>, 2> data{};
      std::vector<thread> threads;
      for (unsigned n = 0; n < 200; ++n)
        threads.emplace_back([&, n] { static_cast<void>(data[n % 2].get()); });
      if (!all) data[0] = 1;
      for (thread& t : threads) t.join();
      data[1] = 1;
    };
  };
  expect_to_pass(body(true));
  EXPECT_EQ(failure_of(body(false)).kind, FailureKind::data_race);
}

}  // namespace

}  // namespace hocket::test
