// Data races: which bodies have one, and which almost do.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <shared_mutex>
#include <vector>

#include "tests/support/failure_of.hpp"
#include "tests/support/row_name.hpp"

namespace hocket {

namespace {

using test::exhaustively;
using test::expect_to_pass;
using test::failure_of;
using test::in_parallel;

struct Row {
  const char* name;
  bool races;
  std::function<void()> body;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

class Races : public ::testing::TestWithParam<Row> {};

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
INSTANTIATE_TEST_SUITE_P(ByMessages, Races, ::testing::ValuesIn(std::vector<Row>{
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
    Row{"CompareExchangeThatFailsRelaxed",true,  message(kTellRelease, kHearByFailingRelaxed)}}),
    test::RowName());
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
INSTANTIATE_TEST_SUITE_P(ByOtherMeans, Races, ::testing::ValuesIn(std::vector<Row>{
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
      thread([&] { ++data; }).join();
      ++data;
    })},
    Row{"TheCreatorGoesOn", true, on_a_var([](var<int>& data) {
      thread adder([&] { ++data; });
      data = 1;
      adder.join();
    })},
    Row{"JoinOfAnotherThread", true, on_a_var([](var<int>& data) {
      thread writer([&] { ++data; });
      thread([] {}).join();
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
    }}}),
    test::RowName());

INSTANTIATE_TEST_SUITE_P(OfAtomicRefs, Races, ::testing::ValuesIn(std::vector<Row>{
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
    })}}),
    test::RowName());
// clang-format on

}  // namespace

}  // namespace hocket
