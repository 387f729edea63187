// std::shared_mutex and std::shared_timed_mutex.
#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using namespace std::chrono_literals;
using hocket::FailureKind;

TEST(AStdSharedMutex, LetsReadersInTogetherAndWritersAlone) {
  const Outcomes most_readers = outcomes_by_bound(
      [] {
        std::shared_mutex m;
        std::atomic<unsigned> readers{0};
        std::atomic<unsigned> most{0};
        int data = 0;
        const auto read = [&] {
          const std::shared_lock lock(m);
          const unsigned now = readers.fetch_add(1) + 1;
          if (now > most.load()) most.store(now);
          check(data == 0 || data == 1);
          readers.fetch_sub(1);
        };
        in_parallel(read, read, [&] {
          const std::unique_lock lock(m);
          check(readers.load() == 0, "a writer beside a reader");
          data = 1;
        });
        return most.load();
      },
      exhaustively(), 2);
  EXPECT_EQ(most_readers, (Outcomes{{1, 0}, {2, 1}}));
}

TEST(AStdSharedMutex, HeldByAReaderLetsAnotherTryAndNoWriter) {
  explored([] {
    std::shared_mutex m;
    const std::shared_lock lock(m);
    std::thread([&] {
      check(m.try_lock_shared());
      m.unlock_shared();
      check(!m.try_lock());
    }).join();
  });
}

TEST(AStdSharedMutex, HeldByAWriterLetsNobodyTry) {
  explored([] {
    std::shared_mutex m;
    const std::unique_lock lock(m);
    std::thread([&] {
      check(!m.try_lock_shared());
      check(!m.try_lock());
    }).join();
  });
}

TEST(AStdSharedMutex, DoesNotOrderItsReaders) {
  expect_failure(FailureKind::data_race, 0, "not ordered after", [] {
    std::shared_mutex m;
    int data = 0;
    const auto wrong = [&] {
      const std::shared_lock lock(m);
      ++data;
    };
    in_parallel(wrong, wrong);
  });
}

TEST(AStdSharedMutex, TakenAgainByAReaderIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "which it holds already", [] {
    std::shared_mutex m;
    m.lock_shared();
    m.lock_shared();
  });
}

TEST(AStdSharedMutex, CannotBeUpgraded) {
  expect_failure(FailureKind::misuse, 0, "which it holds already", [] {
    std::shared_mutex m;
    m.lock_shared();
    m.lock();
  });
}

TEST(AStdSharedMutex, UnlockedByAStrangerIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "unlocks", [] {
    std::shared_mutex m;
    m.lock();
    std::thread([&] { m.unlock(); }).join();
  });
}

TEST(AStdSharedTimedMutex, IsGotOrItsTimeRunsOut) {
  const auto beside_a_writer = [](const auto& try_lock) {
    return [try_lock] {
      std::shared_timed_mutex m;
      unsigned locked = 0;
      in_parallel([&] { const std::unique_lock lock(m); }, [&] { locked = try_lock(m) ? 1 : 0; });
      return locked;
    };
  };
  const Outcomes either{{0, 2}, {1, 0}};
  EXPECT_EQ(outcomes_by_bound(beside_a_writer([](auto& m) { return std::unique_lock(m, 1s).owns_lock(); })),
      either);
  EXPECT_EQ(outcomes_by_bound(beside_a_writer([](auto& m) { return std::shared_lock(m, 1s).owns_lock(); })),
      either);
  EXPECT_EQ(outcomes_by_bound(beside_a_writer([](auto& m) {
    return std::shared_lock(m, std::chrono::system_clock::now() + 1s).owns_lock();
  })),
      either);
  EXPECT_EQ(outcomes_by_bound(beside_a_writer([](auto& m) {
    return std::unique_lock(m, std::chrono::system_clock::now() + 1s).owns_lock();
  })),
      either);
}

}  // namespace

}  // namespace unmodified
