// Data races: which bodies have one, which almost do, and what is said about it.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <shared_mutex>
#include <string>
#include <vector>

#include "tests/failure_of.hpp"

namespace hocket {

namespace {

using test::exhaustively;
using test::expect_to_pass;
using test::failure_of;
using test::in_parallel;
using test::place;

struct Row {
  const char* name;
  bool races;
  std::function<void()> body;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

class Races : public testing::TestWithParam<Row> {};

TEST_P(Races, AreFoundExactlyWhereNothingOrdersTwoAccesses) {
  if (GetParam().races) {
    EXPECT_EQ(failure_of(GetParam().body).kind, FailureKind::data_race);
  } else {
    expect_to_pass(GetParam().body);
  }
}

template <class Tell, class Hear>
std::function<void()> message(Tell tell, Hear hear) {
  return [=] {
    var<int> data{0};
    atomic<int> flag{0};
    in_parallel(
        [&] {
          data = 1;
          tell(flag);
        },
        [&] {
          if (hear(flag)) static_cast<void>(data.get());
        });
  };
}

const auto kTellRelaxed = [](atomic<int>& flag) { flag.store(1, memory_order_relaxed); };
const auto kTellRelease = [](atomic<int>& flag) { flag.store(1, memory_order_release); };
const auto kTellByFence = [](atomic<int>& flag) {
  hocket::atomic_thread_fence(memory_order_release);
  flag.store(1, memory_order_relaxed);
};
const auto kTellBeforeFence = [](atomic<int>& flag) {
  flag.store(1, memory_order_relaxed);
  hocket::atomic_thread_fence(memory_order_release);
};
const auto kTellTwice = [](atomic<int>& flag) {
  flag.store(1, memory_order_release);
  flag.store(2, memory_order_relaxed);
};
const auto kTellAndCount = [](atomic<int>& flag) {
  flag.store(1, memory_order_release);
  flag.fetch_add(1, memory_order_relaxed);
};
const auto kHearRelaxed = [](atomic<int>& flag) { return flag.load(memory_order_relaxed) != 0; };
const auto kHearAcquire = [](atomic<int>& flag) { return flag.load(memory_order_acquire) != 0; };
const auto kHearTwo = [](atomic<int>& flag) { return flag.load(memory_order_acquire) == 2; };
const auto kHearByFence = [](atomic<int>& flag) {
  const bool heard = flag.load(memory_order_relaxed) != 0;
  hocket::atomic_thread_fence(memory_order_acquire);
  return heard;
};
const auto kHearByWait = [](atomic<int>& flag) {
  flag.wait(0, memory_order_acquire);
  return true;
};
const auto kHearByRelaxedWait = [](atomic<int>& flag) {
  flag.wait(0, memory_order_relaxed);
  return true;
};
const auto kTellAndWake = [](atomic<int>& flag) {
  flag.store(1, memory_order_release);
  flag.notify_one();
};
const auto kHearByExchange = [](atomic<int>& flag) {
  int one = 1;
  return flag.compare_exchange_strong(one, 2, memory_order_acq_rel);
};
const auto kHearByFailing = [](atomic<int>& flag) {
  int none = 0;  // with the failure order of acq_rel, which is acquire
  return !flag.compare_exchange_strong(none, 0, memory_order_acq_rel);
};
const auto kHearByFailingRelaxed = [](atomic<int>& flag) {
  int none = 0;
  return !flag.compare_exchange_strong(none, 0, memory_order_acquire, memory_order_relaxed);
};

// clang-format off
INSTANTIATE_TEST_SUITE_P(ByMessages, Races, testing::Values(
    Row{"StoreAndLoadRelaxed",            true,  message(kTellRelaxed, kHearRelaxed)},
    Row{"StoreRelease",                   true,  message(kTellRelease, kHearRelaxed)},
    Row{"LoadAcquire",                    true,  message(kTellRelaxed, kHearAcquire)},
    Row{"StoreReleaseLoadAcquire",        false, message(kTellRelease, kHearAcquire)},
    Row{"FenceAndLoadAcquire",            false, message(kTellByFence, kHearAcquire)},
    Row{"StoreReleaseAndFence",           false, message(kTellRelease, kHearByFence)},
    Row{"FenceAndFence",                  false, message(kTellByFence, kHearByFence)},
    Row{"FenceAfterTheStore",             true,  message(kTellBeforeFence, kHearByFence)},
    Row{"FenceAlone",                     true,  message(kTellByFence, kHearRelaxed)},
    Row{"AStoreThatEndsTheSequence",      true,  message(kTellTwice, kHearTwo)},
    Row{"AnUpdateThatContinuesIt",        false, message(kTellAndCount, kHearTwo)},
    Row{"WaitAcquire",                    false, message(kTellAndWake, kHearByWait)},
    Row{"WaitRelaxed",                    true,  message(kTellAndWake, kHearByRelaxedWait)},
    Row{"CompareExchange",                false, message(kTellRelease, kHearByExchange)},
    Row{"CompareExchangeThatFails",       false, message(kTellRelease, kHearByFailing)},
    Row{"CompareExchangeThatFailsRelaxed",true,  message(kTellRelease, kHearByFailingRelaxed)}),
    [](const testing::TestParamInfo<Row>& row) { return std::string(row.param.name); });
// clang-format on

void add_under(mutex& m, var<int>& total) {
  const std::lock_guard lock(m);
  ++total;
}

void two_readers_and_a_writer(bool writer_locks_shared) {
  shared_mutex m;
  var<int> data{0};
  const auto read = [&] {
    const std::shared_lock lock(m);
    static_cast<void>(data.get());
  };
  in_parallel(read, read, [&] {
    if (writer_locks_shared) {
      const std::shared_lock lock(m);
      data = 1;
    } else {
      const std::lock_guard lock(m);
      data = 1;
    }
  });
}

void hand_over_by_condition(bool under_mutex) {
  mutex m;
  condition_variable ready;
  var<int> data{0};
  bool is_there = false;
  thread producer([&] {
    if (!under_mutex) data = 1;
    const std::lock_guard lock(m);
    if (under_mutex) data = 1;
    is_there = true;
    ready.notify_one();
  });
  std::unique_lock lock(m);
  ready.wait(lock, [&] { return is_there; });
  static_cast<void>(data.get());
  lock.unlock();
  producer.join();
}

template <class Body>
std::function<void()> on_a_var(Body body) {
  return [body] {
    var<int> data{0};
    body(data);
  };
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(ByOtherMeans, Races, testing::Values(
    Row{"NothingAtAll", true, on_a_var([](var<int>& data) {
      in_parallel([&] { data = 1; }, [&] { data = 2; });
    })},
    Row{"TwoReaders", false, on_a_var([](var<int>& data) {
      in_parallel([&] { return data.get(); }, [&] { return data.get(); });
    })},
    Row{"AWriterAfterTwoReaders", true, on_a_var([](var<int>& data) {
      atomic<int> done{0};
      in_parallel([&] { static_cast<void>(data.get()); done.fetch_add(1); },
                  [&] { static_cast<void>(data.get()); },
                  [&] { if (done.load() == 1) data = 1; });
    })},
    Row{"CreationAndJoin", false, on_a_var([](var<int>& data) {
      data = 1;
      thread child([&] { ++data; });
      child.join();
      ++data;
    })},
    Row{"TheCreatorGoesOn", true, on_a_var([](var<int>& data) {
      thread adder([&] { ++data; });
      data = 1;
      adder.join();
    })},
    Row{"JoinOfAnotherThread", true, on_a_var([](var<int>& data) {
      thread writer([&] { ++data; });
      thread other([] {});
      other.join();
      static_cast<void>(data.get());
      writer.join();
    })},
    Row{"OneMutex", false, on_a_var([](var<int>& data) {
      mutex m;
      in_parallel([&] { add_under(m, data); }, [&] { add_under(m, data); });
    })},
    Row{"TwoMutexes", true, on_a_var([](var<int>& data) {
      mutex m;
      mutex other;
      in_parallel([&] { add_under(m, data); }, [&] { add_under(other, data); });
    })},
    Row{"TryLockThatFails", true, on_a_var([](var<int>& data) {
      mutex m;
      in_parallel([&] { add_under(m, data); }, [&] { if (!m.try_lock()) { ++data; } else { m.unlock(); } });
    })},
    Row{"SharedMutex", false, [] { two_readers_and_a_writer(false); }},
    Row{"AWriterInSharedMode", true, [] { two_readers_and_a_writer(true); }},
    Row{"ReadersDoNotOrderReaders", true, on_a_var([](var<int>& data) {
      shared_mutex m;
      in_parallel([&] { data = 1; m.lock_shared(); m.unlock_shared(); },
                  [&] { m.lock_shared(); m.unlock_shared(); static_cast<void>(data.get()); });
    })},
    Row{"Semaphore", false, on_a_var([](var<int>& data) {
      counting_semaphore<> full{0};
      in_parallel([&] { data = 1; full.release(); }, [&] { full.acquire(); ++data; });
    })},
    Row{"SemaphoreTheOtherWayRound", true, on_a_var([](var<int>& data) {
      counting_semaphore<> full{1};
      in_parallel([&] { data = 1; full.release(); }, [&] { full.acquire(); ++data; });
    })},
    Row{"ConditionVariable", false, [] { hand_over_by_condition(true); }},
    Row{"ConditionVariableBeforeTheMutex", false, [] { hand_over_by_condition(false); }},
    Row{"ANotificationOrdersNothing", true, on_a_var([](var<int>& data) {
      mutex m;
      condition_variable ready;
      atomic<bool> is_there{false};
      thread teller([&] {
        { const std::lock_guard lock(m); is_there.store(true, memory_order_relaxed); }
        data = 1;
        ready.notify_one();
      });
      std::unique_lock lock(m);
      while (!is_there.load(memory_order_relaxed)) ready.wait(lock);
      static_cast<void>(data.get());
      lock.unlock();
      teller.join();
    })},
    Row{"TimeOrdersNothing", true, on_a_var([](var<int>& data) {
      in_parallel([&] { data = 1; },
                  [&] { this_thread::sleep_for(std::chrono::seconds(1)); ++data; });
    })},
    Row{"PublishedBeforeItIsMade", true, [] {
      atomic<var<int>*> published{nullptr};
      thread reader([&] {
        if (var<int>* data = published.load(memory_order_relaxed)) static_cast<void>(data->get());
      });
      var<int> data{1};
      published.store(&data, memory_order_relaxed);
      reader.join();
    }},
    Row{"DestroyedWithoutWaiting", true, [] {
      auto data = std::make_unique<var<int>>(0);
      atomic<bool> done{false};
      thread user([&] { ++*data; done.store(true, memory_order_relaxed); });
      if (done.load(memory_order_relaxed)) data.reset();
      user.join();
    }}),
    [](const testing::TestParamInfo<Row>& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(OfAtomicRefs, Races, testing::Values(
    Row{"AtomicAndAtomic", false, on_a_var([](var<int>& data) {
      const auto add = [&] { atomic_ref(data).fetch_add(1, memory_order_relaxed); };
      in_parallel(add, add, [&] { atomic_ref(data).store(1); });
    })},
    Row{"AtomicReadAndPlainRead", false, on_a_var([](var<int>& data) {
      in_parallel([&] { static_cast<void>(atomic_ref(data).load()); }, [&] { static_cast<void>(data.get()); });
    })},
    Row{"AtomicReadAndPlainWrite", true, on_a_var([](var<int>& data) {
      in_parallel([&] { static_cast<void>(atomic_ref(data).load()); }, [&] { data = 1; });
    })},
    Row{"AtomicWriteAndPlainRead", true, on_a_var([](var<int>& data) {
      in_parallel([&] { atomic_ref(data).store(1); }, [&] { static_cast<void>(data.get()); });
    })},
    Row{"AWaitAndAPlainWrite", true, on_a_var([](var<int>& data) {
      in_parallel([&] { atomic_ref(data).wait(1); }, [&] { data = 1; });
    })},
    Row{"PlainFirstAndOrderedLater", false, on_a_var([](var<int>& data) {
      data = 1;
      in_parallel([&] { atomic_ref(data).fetch_add(1); }, [&] { atomic_ref(data).fetch_add(1); });
      check(data == 3);
    })},
    Row{"ItsOwnMessage", false, on_a_var([](var<int>& data) {
      var<int> message{0};
      in_parallel([&] { message = 1; atomic_ref(data).store(1, memory_order_release); },
                  [&] { if (atomic_ref(data).load(memory_order_acquire) == 1) ++message; });
    })}),
    [](const testing::TestParamInfo<Row>& row) { return std::string(row.param.name); });
// clang-format on

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
  EXPECT_EQ(failure.message, "data race: thread 1 writes total at " + place(write) +
                                 ", and nothing orders this after the read by main at " + place(read) +
                                 " (before the first step)\n"
                                 "thread 1 holds account lock; main held no mutex\n"
                                 "Hold the same mutex at both accesses, or make total atomic, or order them "
                                 "by memory_order_release and "
                                 "memory_order_acquire. As long as data races, a pass promises nothing.");
  EXPECT_EQ(failure.where, place(write));
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

// ---------------------------------------------------------------------------------------------------------------------
// In a search

Options keeping_going() {
  Options options = exhaustively();
  options.keep_going = true;
  return options;
}

TEST(RacesInASearch, OfTheSameTwoLinesAreOneFailureWhoeverComesFirst) {
  const Report report = explore(
      "races",
      [] {
        var<int> total{0};
        const auto add = [&] { ++total; };
        in_parallel(add, add, add);
      },
      keeping_going());
  EXPECT_EQ(report.failures.size(), 1U) << report;
}

TEST(RacesInASearch, OfOtherLinesAreOtherFailures) {
  const Report report = explore(
      "races",
      [] {
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
      },
      keeping_going());
  EXPECT_EQ(report.failures.size(), 2U) << report;
}

TEST(RacesInASearch, AreNotLookedForWithoutTheirDetector) {
  Options options = exhaustively();
  options.detect = Detectors().without(Detector::races);
  const auto body = [] {
    var<int> total{0};
    in_parallel([&] { ++total; }, [&] { ++total; });
  };
  const Report report = explore("races", body, options);
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_NE(report.note.find("data races were not looked for"), std::string::npos) << report;
}

TEST(RacesInASearch, AreNotMissedWhereNoTwoThreadsShareAVar) {
  Options options = exhaustively();
  options.detect = Detectors().without(Detector::races);
  const Report report = explore(
      "races",
      [] {
        in_parallel(
            [] {
              var<int> mine{0};
              ++mine;
            },
            [] {});
      },
      options);
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

}  // namespace hocket
