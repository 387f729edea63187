// std::atomic::wait and what is made of it: std::latch, std::barrier, std::counting_semaphore. They wait in
// the kernel's futexes, and the library spins for a while before that.
#include <atomic>
#include <barrier>
#include <chrono>
#include <latch>
#include <semaphore>
#include <set>
#include <thread>

#include "tests/unmodified/std_bodies.hpp"

namespace unmodified {

namespace {

using namespace std::chrono_literals;
using hocket::FailureKind;

template <class T>
class WaitingForAnAtomicOf : public ::testing::Test {};
/// Those of four bytes are futexes themselves; the others have one in a table of the library.
using Sizes = ::testing::Types<int, unsigned char, long>;
TYPED_TEST_SUITE(WaitingForAnAtomicOf, Sizes);

TYPED_TEST(WaitingForAnAtomicOf, EndsWhenItIsNotifiedOfANewValue) {
  explored_within(1, [] {
    std::atomic<TypeParam> value{0};
    int data = 0;
    in_parallel(
        [&] {
          value.wait(0);
          check(value.load() == 1 && data == 1);
        },
        [&] {
          data = 1;
          value.store(1);
          value.notify_one();
        });
  });
}

TYPED_TEST(WaitingForAnAtomicOf, IsEndedForAllByNotifyAll) {
  explored_within(0, [] {
    std::atomic<TypeParam> value{0};
    const auto wait = [&] { value.wait(0); };
    in_parallel(wait, wait, [&] {
      value.store(1);
      value.notify_all();
    });
  });
}

TYPED_TEST(WaitingForAnAtomicOf, ThatNobodyNotifiesIsADeadlock) {
  // At which bound depends on how often the library looks, and yields, before it sleeps.
  const hocket::FoundFailure failure = failure_of([] {
    std::atomic<TypeParam> value{0};
    in_parallel([&] { value.wait(0); }, [&] { value.store(1); });
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock) << failure.message;
}

TEST(AStdAtomicFlagThatIsWaitedFor, IsNotified) {
  explored_within(1, [] {
    std::atomic_flag flag;
    in_parallel([&] { flag.wait(false); },
        [&] {
          flag.test_and_set();
          flag.notify_one();
        });
  });
}

TEST(AStdLatch, LetsNobodyOnBeforeAllHaveCome) {
  explored_within(0, [] {
    std::latch latch(2);
    int data = 0;
    in_parallel(
        [&] {
          data = 1;
          latch.count_down();
        },
        [&] {
          latch.arrive_and_wait();
          check(data == 1 && latch.try_wait());
        });
  });
}

TEST(AStdLatch, ThatTooFewComeToIsADeadlock) {
  expect_failure(FailureKind::deadlock, 0, "deadlock", [] {
    std::latch latch(2);
    in_parallel([&] { latch.arrive_and_wait(); });
  });
}

TEST(AStdBarrier, KeepsTheRoundsApart) {
  explored_within(0, [] {
    int completions = 0;
    std::barrier barrier(2, [&]() noexcept { ++completions; });
    int first = 0;
    int second = 0;
    in_parallel(
        [&] {
          first = 1;
          barrier.arrive_and_wait();
          check(second == 1);
          barrier.arrive_and_drop();
        },
        [&] {
          second = 1;
          barrier.arrive_and_wait();
          check(first == 1);
          barrier.arrive_and_wait();
        });
    check(completions == 2);
  });
}

TEST(AStdSemaphore, LetsInAsManyAsItCounts) {
  explored_within(1, [] {
    std::counting_semaphore<2> permits(1);
    int inside = 0;
    const auto section = [&] {
      permits.acquire();
      check(++inside == 1);
      --inside;
      permits.release();
    };
    in_parallel(section, section);
  });
}

TEST(AStdSemaphore, IsTriedForAndMayHaveNoPermit) {
  const std::set<unsigned> outcomes = outcomes_of([] {
    std::binary_semaphore permits(0);
    unsigned got = 0;
    in_parallel([&] { permits.release(); }, [&] { got = permits.try_acquire() ? 1 : 0; });
    return got;
  });
  EXPECT_EQ(outcomes, (std::set<unsigned>{0, 1}));
}

TEST(AStdSemaphore, ThatNobodyReleasesInTimeIsGivenUp) {
  explored_within(0, [] {
    std::binary_semaphore permits(0);
    const auto begin = std::chrono::steady_clock::now();
    check(!permits.try_acquire_for(10ms));
    check(std::chrono::steady_clock::now() - begin >= 10ms);
    check(!permits.try_acquire_until(std::chrono::system_clock::now() + 10ms));
  });
}

TEST(AStdSemaphore, IsGotByATimedTryWhenItIsReleased) {
  explored_within(1, [] {
    std::binary_semaphore permits(0);
    in_parallel([&] { check(permits.try_acquire_for(10ms)); }, [&] { permits.release(); });
  });
}

}  // namespace

}  // namespace unmodified
