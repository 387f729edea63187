// Shapes of loops that poll: which of them are waits, and what must not be taken for one.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>

#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>

#include "tests/unmodified/polling/poll_beside_a_reader.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::silent_rounds {

namespace {

// -- Yields

/// The threads of a rendezvous, each of which polls for the other one with a yield.
void poll_each_other() {
  std::atomic<bool> first{false};
  std::atomic<bool> second{false};
  const auto meet = [](std::atomic<bool>& own, const std::atomic<bool>& other) {
    own = true;
    while (!other) std::this_thread::yield();
  };
  in_parallel([&] { meet(first, second); }, [&] { meet(second, first); });
}

TEST(ThreadsThatPollEachOtherWithAYield, TakeFewExecutionsUnderEachReduction) {
  const auto executions = [](const char* strategy) {
    const hocket::Report report = explored(poll_each_other, with(strategy));
    EXPECT_EQ(report.verdict, hocket::Verdict::passed_exhaustively) << strategy;
    std::cout << strategy << ": " << report.executions << " executions\n";
    return report.executions;
  };
  const std::uint64_t classes = executions("cb-por");
  EXPECT_LE(executions("icb-por"), 3 * classes);  // it meets classes again at each bound
  EXPECT_LE(executions("dpor"), 2 * classes);
  EXPECT_LE(executions("auto"), 6 * classes);
}

// -- Reader-writer locks

TEST(APollUnderASharedLock, WaitsAlsoIfItsOwnTryFailsBecauseOfAnotherReader) {
  explored_everywhere([] {
    std::shared_mutex mutex;
    bool is_over = false;
    std::thread reader([&] { const std::shared_lock lock(mutex); });
    for (bool ends = false; !ends;) {
      {
        const std::shared_lock lock(mutex);
        ends = is_over;
      }
      if (!mutex.try_lock()) continue;
      is_over = true;
      mutex.unlock();
    }
    reader.join();
  });
}

TEST(APollUnderASharedLock, WaitsAlsoIfItsOwnTryOfAPthreadLockFails) {
  explored_everywhere([] {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    std::thread reader([&] {
      pthread_rwlock_rdlock(&lock);
      pthread_rwlock_unlock(&lock);
    });
    do {
      pthread_rwlock_rdlock(&lock);
      pthread_rwlock_unlock(&lock);
    } while (pthread_rwlock_trywrlock(&lock) != 0);
    pthread_rwlock_unlock(&lock);
    reader.join();
  });
}

template <class Outer, class Inner, class InnerLock>
void poll_under_both() {
  Outer outer;
  Inner inner;
  bool is_ready = false;
  std::thread writer([&] {
    const std::lock_guard lock(outer);
    is_ready = true;
  });
  for (bool ends = false; !ends;) {
    const std::lock_guard lock(outer);
    const InnerLock nested(inner);
    ends = is_ready;
  }
  writer.join();
}

TEST(APollUnderTwoLocks, WaitsWhateverTheirKindsAre) {
  explored_everywhere(poll_under_both<std::mutex, std::shared_mutex, std::unique_lock<std::shared_mutex>>);
  explored_everywhere(poll_under_both<std::mutex, std::shared_mutex, std::shared_lock<std::shared_mutex>>);
  explored_everywhere(poll_under_both<std::shared_mutex, std::mutex, std::unique_lock<std::mutex>>);
  explored_everywhere(
      poll_under_both<std::recursive_mutex, std::recursive_mutex, std::unique_lock<std::recursive_mutex>>);
}

TEST(APollUnderTwoLocks, WaitsWhileAnotherReaderHasTheInnerOne) {
  explored_everywhere(poll_beside_a_reader);
}

// -- Atomics of several sizes in the same memory

using Word [[gnu::may_alias]] = std::uint64_t;

struct alignas(Word) Halves {
  int first = 0;
  int second = 0;
  Word& both() { return reinterpret_cast<Word&>(*this); }
};

int found_at(const int& where) {
  return __atomic_load_n(&where, __ATOMIC_ACQUIRE);
}

TEST(APollOfAHalf, WaitsUntilThisHalfChangesHoweverItIsWritten) {
  explored_everywhere([] {
    Halves halves;
    std::thread other([&] {
      static_cast<void>(__atomic_load_n(&halves.both(), __ATOMIC_ACQUIRE));
      __atomic_store_n(&halves.second, 1, __ATOMIC_RELEASE);
      __atomic_store_n(&halves.both(), 1, __ATOMIC_RELEASE);
    });
    while (found_at(halves.first) == 0) {
    }
    other.join();
  });
}

TEST(APollOfAWeakPtr, IsAWait) {
  explored_everywhere([] {
    auto owner = std::make_shared<int>(1);
    const std::weak_ptr<int> watch = owner;
    std::thread other([&] { owner.reset(); });
    while (!watch.expired()) {
    }
    other.join();
  });
}

TEST(APollOfAHalf, ThatNobodyEndsIsALivelockThatNamesWhatIsPolled) {
  expect_failure(hocket::FailureKind::livelock, 0, "main polls atomic", [] {
    Halves halves;
    std::thread other([&] { static_cast<void>(__atomic_load_n(&halves.both(), __ATOMIC_ACQUIRE)); });
    while (found_at(halves.first) == 0) {
    }
    other.join();
  });
}

// -- Plain writes

struct Cached {
  std::atomic<int> shared{0};
  int seen = 0;
};

TEST(APollThatKeepsWhatItHasRead, IsAWaitWhereverItKeepsIt) {
  hocket::Options options = exhaustively();
  const auto body = [](Cached& cached) {
    std::thread poller([&] {
      while (cached.seen == 0) cached.seen = cached.shared.load();
    });
    cached.shared = 1;
    poller.join();
  };
  EXPECT_EQ(explored(
                [&] {
                  Cached cached;
                  body(cached);
                },
                options)
                .executions,
      3U);
  EXPECT_EQ(explored([&] { body(*std::make_unique<Cached>()); }, options).executions, 3U);
}

TEST(APollThatKeepsWhatItHasRead, MayDoSoUnderALock) {
  explored_everywhere([] {
    std::mutex mutex;
    int shared = 0;
    auto seen = std::make_unique<int>(0);
    in_parallel(
        [&] {
          const std::lock_guard lock(mutex);
          shared = 1;
        },
        [&] {
          while (*seen == 0) {
            const std::lock_guard lock(mutex);
            *seen = shared;
          }
        });
  });
}

/// Each round has a moment in which another section finds zero, though the rounds leave one. Whether it ever
/// does is luck, but it would be untrue that no thread can continue, or that it never can.
TEST(ARoundThatUndoesItsWriteInAnotherSection, IsNoWait) {
  hocket::Options options = quietly();
  options.max_steps = 500;
  options.max_executions = 100;
  const hocket::Report report = hocket::explore(
      "moments",
      [] {
        std::mutex mutex;
        auto data = std::make_unique<int>(1);
        std::atomic<bool> is_over{false};
        std::thread watcher([&] {
          for (bool ends = false; !ends;) {
            const std::lock_guard lock(mutex);
            ends = *data == 0;
          }
          is_over = true;
        });
        while (!is_over.load()) {
          for (const int value : {0, 1}) {
            const std::lock_guard lock(mutex);
            *data = value;
          }
        }
        watcher.join();
      },
      options);
  EXPECT_TRUE(report.failures.empty()) << report;
}

TEST(ARoundThatWrites, MayDoSoInMemoryThatIsGoneAtTheNextLook) {
  explored_everywhere([] {
    constexpr std::size_t kSize = 4096;
    std::atomic<int> flag{0};
    std::thread other([&] { flag = 1; });
    static_cast<void>(flag.load());
    auto* const page =
        static_cast<int*>(mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    *page = 1;
    munmap(page, kSize);
    static_cast<void>(flag.load());
    other.join();
  });
}

TEST(ARoundThatWritesSomethingElseEachTime, IsNoWait) {
  const hocket::FoundFailure failure = failure_of(
      [] {
        static int rounds = 0;
        rounds = 0;
        std::atomic<bool> is_set{false};
        std::thread other([&] { is_set = true; });
        while (!is_set.load() && rounds != 20) rounds = rounds + 1;
        hocket::check(rounds != 20, "gave up");
        other.join();
      },
      exhaustively());
  EXPECT_EQ(failure.bound, 0U);
}

// -- Loops that poll for long and come to an end by themselves

/// As many counts of rounds as there are, and that it has given up.
constexpr int kPatience = 300;

unsigned spin(const std::atomic<int>& flag) {
  unsigned rounds = 0;
  while (rounds != kPatience && flag.load() == 0) ++rounds;
  return rounds;
}

std::set<std::uint64_t> rounds_seen(const char* strategy, unsigned bound) {
  Collected found;
  explored(
      [&] {
        std::atomic<int> flag{0};
        unsigned rounds = 0;
        std::thread poller([&] { rounds = spin(flag); });
        flag = 1;
        poller.join();
        found.add(rounds);
      },
      with(strategy, bound));
  return found.all();
}

TEST(ALongPoll, GivesUpWithoutAPreemption) {
  for (const char* const strategy : {"icb", "cb-por", "icb-por", "hb-cache"}) {
    const std::set<std::uint64_t> seen = rounds_seen(strategy, 0);
    EXPECT_TRUE(seen.contains(0)) << strategy;
    EXPECT_TRUE(seen.contains(kPatience)) << strategy;
  }
}

TEST(ALongPoll, MayEndAfterAnyNumberOfRounds) {
  for (const char* const strategy : {"cb-por", "dpor", "icb-por"}) {
    const std::set<std::uint64_t> seen = rounds_seen(strategy, hocket::unbounded);
    EXPECT_EQ(seen.size(), kPatience + 1U) << strategy;
  }
}

/// A thread spins and then blocks. The thread that posts forgets to wake a thread that is blocked.
void spin_then_park(int spins) {
  struct Semaphore {
    Semaphore() { sem_init(&parked, 0, 0); }
    std::atomic<long> count{0};
    sem_t parked;
  } semaphore;
  std::thread waiter([&] {
    for (int n = 0; n != spins; ++n) {
      long found = semaphore.count.load();
      if (found > 0 && semaphore.count.compare_exchange_strong(found, found - 1)) return;
    }
    if (semaphore.count.fetch_sub(1) <= 0) sem_wait(&semaphore.parked);
  });
  semaphore.count.fetch_add(1);
  waiter.join();
}

TEST(ALostWakeUp, IsFoundAtBoundZeroHoweverLongTheThreadSpinsFirst) {
  for (const int spins : {100, 1'000, 10'000}) {
    const hocket::FoundFailure failure = failure_of([=] { spin_then_park(spins); }, quietly("auto"));
    EXPECT_EQ(failure.kind, hocket::FailureKind::deadlock) << failure.message;
    EXPECT_EQ(failure.bound, 0U) << spins;
  }
}

/// A loop that never ends by itself uses up none of the steps that the others need.
TEST(ALongPoll, ThatComesToNoEndLeavesTheLimitOfStepsToOthers) {
  hocket::Options options = within(0);
  options.max_steps = 3'000;
  explored(
      [] {
        static std::uint64_t rounds = 0;
        std::atomic<bool> is_over{false};
        std::atomic<int> work{0};
        std::thread poller([&] {
          while (!is_over.load()) ++rounds;
        });
        for (int n = 0; n != 1'500; ++n) work.store(n);
        is_over = true;
        poller.join();
      },
      options);
}

}  // namespace

}  // namespace unmodified::silent_rounds
