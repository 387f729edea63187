// What a step is, what it costs, and what each modelled object does: counts of executions and sets of
// outcomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <hocket/scheduler/schedule.hpp>

#include "tests/bodies.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// Explores everything and expects that it passes.
Report explored(const std::function<void()>& body, const Options& options = exhaustively()) {
  Report report = explore("semantics", body, options);
  EXPECT_FALSE(report.failed()) << report;
  return report;
}

/// What `body` returns in each execution, with the least bound at which it does.
template <class Body>
auto outcomes_by_bound(const Body& body, Options options = exhaustively()) {
  std::map<decltype(body()), unsigned> least;
  for (unsigned bound = 0; bound <= 4; ++bound) {
    options.max_preemptions = bound;
    const Report report = explored([&] { least.try_emplace(body(), bound); }, options);
    if (report.verdict == Verdict::passed_exhaustively) break;
  }
  return least;
}

// ---------------------------------------------------------------------------------------------------------------------
// Steps

TEST(AStep, IsOneOperationAndTheCodeUpToTheNext) {
  EXPECT_EQ(explored([] {
    atomic<int> x{0};
    const auto five = [&] {
      for (int n = 0; n < 5; ++n) x.fetch_add(1);
    };
    in_parallel(five, five);
  }).executions,
      252U);  // C(10, 5)
}

TEST(AStep, IsNeitherACreationNorAStartNorAnEndNorAJoin) {
  EXPECT_EQ(explored([] {
    in_parallel([] { thread([] {}).join(); }, [] { in_parallel([] {}, [] {}); });
  }).executions,
      1U);
}

TEST(AStep, IsNeitherAVarAccessNorACheckNorANameNorAFence) {
  const Report report = explored([] {
    const auto quiet = [] {
      var<int> v{0};
      ++v;
      name(v, "v");
      check(v == 1);
      hocket::atomic_thread_fence(memory_order_seq_cst);
    };
    in_parallel(quiet, quiet);
  });
  EXPECT_EQ(report.executions, 1U);
  EXPECT_EQ(report.steps, 0U);
}

TEST(AStep, IsTheDestructionOfAnObjectButNotItsConstruction) {
  EXPECT_EQ(explored([] {
    const auto make = [] { const atomic<int> x{0}; };
    in_parallel(make, make);
  }).executions,
      2U);
}

TEST(ANewThread, RunsAtOnceUpToItsFirstOperation) {
  explored([] {
    int x = 0;
    atomic<int> y{0};
    thread t([&] {
      x = 1;
      y.store(1);
    });
    check(x == 1);
    t.join();
  });
}

TEST(TheBound, OfNoPreemptionLeavesTheOrderOfThreadsFree) {
  Options options = quietly();
  options.max_preemptions = 0;
  EXPECT_EQ(explored(
                [] {
                  atomic<int> x{0};
                  in_parallel_each(4, [&](unsigned) {
                    for (int n = 0; n < 3; ++n) x.fetch_add(1);
                  });
                },
                options)
                .executions,
      24U);
}

TEST(ASwitch, AtABlockIsFree) {
  // Whoever comes second blocks, whoever is first may be anyone.
  Options options = quietly();
  options.max_preemptions = 0;
  const Report report = explored(
      [] {
        counting_semaphore<> ping{0};
        counting_semaphore<> pong{0};
        in_parallel(
            [&] {
              for (int n = 0; n < 5; ++n) {
                ping.release();
                pong.acquire();
              }
            },
            [&] {
              for (int n = 0; n < 5; ++n) {
                ping.acquire();
                pong.release();
              }
            });
      },
      options);
  EXPECT_GE(report.executions, 1U);
  EXPECT_EQ(report.bounds.size(), 1U);
}

// ---------------------------------------------------------------------------------------------------------------------
// Mutexes

TEST(AMutex, ExcludesAndALockThatCannotBeTakenIsNoStep) {
  const Report report = explored([] {
    mutex m;
    int inside = 0;
    const auto section = [&] {
      const std::lock_guard guard(m);
      check(++inside == 1);
      --inside;
    };
    in_parallel(section, section, section);
  });
  EXPECT_EQ(report.executions, 6U);
}

TEST(TryLock, IsAStepThatMayFail) {
  const auto outcomes = outcomes_by_bound([] {
    mutex m;
    bool locked = false;
    in_parallel([&] { const std::lock_guard guard(m); },
        [&] {
          locked = m.try_lock();
          if (locked) m.unlock();
        });
    return locked;
  });
  EXPECT_THAT(outcomes, ElementsAre(Pair(false, 1U), Pair(true, 0U)));
}

TEST(ARecursiveMutex, IsHeldUntilTheLastUnlock) {
  explored([] {
    recursive_mutex m;
    int inside = 0;
    const auto twice = [&] {
      const std::lock_guard outer(m);
      ++inside;
      {
        const std::lock_guard inner(m);
        check(inside == 1);
      }
      check(m.try_lock());
      m.unlock();
      check(inside == 1);
      --inside;
    };
    in_parallel(twice, twice);
  });
}

TEST(ASharedMutex, LetsReadersInTogetherAndWritersAlone) {
  int most_readers = 0;
  explored([&] {
    shared_mutex m;
    atomic<int> step{0};
    int readers = 0;
    int writers = 0;
    const auto read = [&] {
      const std::shared_lock lock(m);
      ++readers;
      check(writers == 0, "a reader beside a writer");
      most_readers = std::max(most_readers, readers);
      step.load();
      --readers;
    };
    in_parallel(read, read, [&] {
      const std::unique_lock lock(m);
      ++writers;
      check(readers == 0, "a writer beside a reader");
      step.load();
      --writers;
    });
  });
  EXPECT_EQ(most_readers, 2);
}

TEST(ASharedMutex, IsRefusedToTryLockWhileItIsRead) {
  const auto outcomes = outcomes_by_bound([] {
    shared_mutex m;
    std::pair<bool, bool> got;
    in_parallel([&] { const std::shared_lock lock(m); },
        [&] {
          got.first = m.try_lock();
          if (got.first) m.unlock();
        },
        [&] {
          got.second = m.try_lock_shared();
          if (got.second) m.unlock_shared();
        });
    return got;
  });
  EXPECT_EQ(outcomes.count({false, true}), 1U);
  EXPECT_EQ(outcomes.count({true, true}), 1U);
  EXPECT_EQ(outcomes.count({true, false}), 1U);
}

TEST(ScopedLock, OfTwoMutexesInAnyOrderDoesNotDeadlock) {
  Options options = quietly();
  options.max_preemptions = 2;
  explored(
      [] {
        mutex a;
        mutex b;
        in_parallel([&] { const std::scoped_lock lock(a, b); }, [&] { const std::scoped_lock lock(b, a); });
      },
      options);
}

TEST(ATimedMutex, GivesUpWhenNobodyElseCanGoOn) {
  explored([] {
    timed_mutex m;
    m.lock();
    thread t([&] { check(!m.try_lock_for(1s), "the owner cannot have let go of it"); });
    t.join();
    m.unlock();
  });
}

TEST(ATimedMutex, GivesUpForOnePreemptionAndTheSwitchWhileOthersCanGoOn) {
  const auto outcomes = outcomes_by_bound([] {
    timed_mutex m;
    bool locked = true;
    m.lock();
    thread t([&] {
      locked = m.try_lock_for(1s);
      if (locked) m.unlock();
    });
    m.unlock();
    t.join();
    return locked;
  });
  EXPECT_THAT(outcomes, ElementsAre(Pair(false, 2U), Pair(true, 0U)));
}

TEST(ARecursiveTimedMutex, IsTakenAgainByItsOwner) {
  explored([] {
    recursive_timed_mutex m;
    m.lock();
    check(m.try_lock_for(1ms));
    check(m.try_lock_until(steady_clock::now() + 1ms));
    m.unlock();
    m.unlock();
    m.unlock();
  });
}

TEST(ASharedTimedMutex, WaitsForReadersAsLongAsItIsTold) {
  explored([] {
    shared_timed_mutex m;
    m.lock_shared();
    thread t([&] {
      check(!m.try_lock_for(1s));
      check(m.try_lock_shared_for(1s));
      m.unlock_shared();
    });
    t.join();
    m.unlock_shared();
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Condition variables

TEST(NotifyOne, WakesAnyOfTheWaiters) {
  std::set<int> woken;
  explored(
      [&] {
        mutex m;
        condition_variable condition;
        int waiting = 0;
        int first = -1;
        const auto wait = [&](int who) {
          std::unique_lock lock(m);
          ++waiting;
          condition.wait(lock);
          if (first < 0) first = who;
        };
        thread notifier([&] {
          {
            const std::lock_guard guard(m);
            assume(waiting == 3);
          }
          condition.notify_one();
          {
            const std::lock_guard guard(m);
            assume(first >= 0);
          }
          condition.notify_all();
        });
        in_parallel([&] { wait(0); }, [&] { wait(1); }, [&] { wait(2); });
        notifier.join();
        woken.insert(first);
      },
      [] {
        Options options = quietly();
        options.max_preemptions = 1;
        return options;
      }());
  EXPECT_THAT(woken, ElementsAre(0, 1, 2));
}

TEST(ANotification, ThatNobodyWaitsForIsLost) {
  const Report report = explore(
      "lost",
      [] {
        mutex m;
        condition_variable condition;
        in_parallel(
            [&] {
              std::unique_lock lock(m);
              condition.wait(lock);
            },
            [&] { condition.notify_all(); });
      },
      quietly());
  ASSERT_EQ(report.verdict, Verdict::failed);
  EXPECT_EQ(report.failures[0].kind, FailureKind::deadlock);
  EXPECT_EQ(report.failures[0].bound, 0U);
}

TEST(ACondition, WithAPredicateIsWaitedForCorrectly) {
  const Report report = explored([] {
    mutex m;
    condition_variable condition;
    bool ready = false;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          condition.wait(lock, [&] { return ready; });
          check(ready);
        },
        [&] {
          {
            const std::lock_guard guard(m);
            ready = true;
          }
          condition.notify_one();
        });
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
}

TEST(ConditionVariableAny, WorksWithAnyLock) {
  explored([] {
    shared_mutex m;
    condition_variable_any condition;
    bool ready = false;
    in_parallel(
        [&] {
          std::shared_lock lock(m);
          condition.wait(lock, [&] { return ready; });
        },
        [&] {
          {
            const std::unique_lock lock(m);
            ready = true;
          }
          condition.notify_all();
        });
  });
}

TEST(ATimedWait, ExpiresWhenNobodyElseCanGoOn) {
  explored([] {
    mutex m;
    condition_variable condition;
    std::unique_lock lock(m);
    check(condition.wait_for(lock, 10ms) == cv_status::timeout);
    check(!condition.wait_for(lock, 10ms, [] { return false; }));
    check(condition.wait_until(lock, steady_clock::now() + 1s) == cv_status::timeout);
    check(lock.owns_lock());
  });
}

TEST(ATimedWait, ExpiresForOnePreemptionWhileAnotherThreadCanGoOn) {
  const auto outcomes = outcomes_by_bound([] {
    mutex m;
    condition_variable condition;
    bool is_waiting = false;
    cv_status status = cv_status::no_timeout;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          is_waiting = true;
          status = condition.wait_for(lock, 1s);
        },
        [&] {
          const std::lock_guard guard(m);
          assume(is_waiting);
          condition.notify_one();
        });
    return status == cv_status::timeout;
  });
  EXPECT_THAT(outcomes, ElementsAre(Pair(false, 0U), Pair(true, 1U)));
}

TEST(SpuriousWakeUps, HappenOnlyWhenAskedForAndCostOnePreemption) {
  const auto body = [] {
    mutex m;
    condition_variable condition;
    bool ready = false;
    bool woken_for_nothing = false;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          if (!ready) condition.wait(lock);
          woken_for_nothing = !ready;
        },
        [&] {
          const std::lock_guard guard(m);
          ready = true;
          condition.notify_one();
        });
    return woken_for_nothing;
  };
  EXPECT_THAT(outcomes_by_bound(body), ElementsAre(Pair(false, 0U)));
  Options options = quietly();
  options.spurious_wakeups = true;
  EXPECT_THAT(outcomes_by_bound(body, options), ElementsAre(Pair(false, 0U), Pair(true, 1U)));
}

TEST(SpuriousWakeUps, DoNotHideADeadlock) {
  Options options = quietly();
  options.spurious_wakeups = true;
  const Report report = explore(
      "deadlock",
      [] {
        mutex m;
        condition_variable condition;
        std::unique_lock lock(m);
        condition.wait(lock);
      },
      options);
  EXPECT_EQ(report.verdict, Verdict::failed) << report;
}

TEST(SpuriousFailures, OfWeakCompareExchangeHappenOnlyWhenAskedForAndCostOnePreemption) {
  const auto body = [] {
    atomic<int> x{1};
    int expected = 1;
    const bool weak = x.compare_exchange_weak(expected, 2);
    check(expected == 1);
    expected = weak ? 2 : 1;
    check(x.compare_exchange_strong(expected, 3), "a strong one does not fail for nothing");
    return weak;
  };
  EXPECT_THAT(outcomes_by_bound(body), ElementsAre(Pair(true, 0U)));
  Options options = quietly();
  options.spurious_failures = true;
  EXPECT_THAT(outcomes_by_bound(body, options), ElementsAre(Pair(false, 1U), Pair(true, 0U)));
}

// ---------------------------------------------------------------------------------------------------------------------
// Yields

TEST(ASpinLoopWithAYield, EndsByItselfAtBoundZero) {
  Options options = quietly();
  options.max_preemptions = 0;
  const Report report = explored(
      [] {
        atomic<bool> ready{false};
        in_parallel(
            [&] {
              while (!ready.load()) yield();
            },
            [&] { ready.store(true); });
      },
      options);
  EXPECT_LT(report.steps / report.executions, 12U);
}

TEST(TwoSpinLoops, ThatWaitForAThirdThreadEndAtBoundZero) {
  Options options = quietly();
  options.max_preemptions = 0;
  explored(
      [] {
        atomic<int> turn{0};
        const auto take_turn = [&](int mine) {
          while (turn.load() != mine) yield();
          turn.store(mine + 1);
        };
        in_parallel([&] { take_turn(2); }, [&] { take_turn(1); }, [&] { take_turn(0); });
        check(turn.load() == 3);
      },
      options);
}

TEST(AnIdleRoundOfASpinLoop, CostsOnePreemption) {
  const auto outcomes = outcomes_by_bound([] {
    atomic<bool> ready{false};
    int rounds = 0;
    in_parallel(
        [&] {
          while (!ready.load()) {
            ++rounds;
            yield();
          }
        },
        [&] { ready.store(true); });
    return rounds;
  });
  // The first yield is free to pass and so is giving way at the second, which would be futile: going on there
  // costs one.
  EXPECT_EQ(outcomes.at(0), 0U);
  EXPECT_EQ(outcomes.at(1), 0U);
  EXPECT_EQ(outcomes.at(2), 0U);
  EXPECT_EQ(outcomes.at(3), 1U);
  EXPECT_EQ(outcomes.at(4), 2U);
  EXPECT_EQ(outcomes.at(5), 3U);
}

TEST(ASwitchAfterAYield, IsFree) {
  const auto outcomes = outcomes_by_bound([] {
    atomic<int> x{0};
    int seen = -1;
    in_parallel(
        [&] {
          x.store(1);
          yield();
          x.store(2);
        },
        [&] { seen = x.load(); });
    return seen;
  });
  EXPECT_THAT(outcomes, ElementsAre(Pair(0, 0U), Pair(1, 0U), Pair(2, 0U)));
}

TEST(ALoopThatOnlySpins, ReachesTheStepLimitAlthoughItYields) {
  Options options = quietly();
  options.max_steps = 500;
  const Report report = explore(
      "spins",
      [] {
        atomic<bool> never{false};
        while (!never.load()) yield();
      },
      options);
  ASSERT_EQ(report.verdict, Verdict::failed);
  EXPECT_EQ(report.failures[0].kind, FailureKind::step_limit);
}

// ---------------------------------------------------------------------------------------------------------------------
// Choices

TEST(Choose, TriesEachValueOnceForNothing) {
  Options options = quietly();
  options.max_preemptions = 0;
  std::multiset<std::uint32_t> seen;
  const Report report = explored([&] { seen.insert(choose(3) * 10 + choose(2)); }, options);
  EXPECT_THAT(seen, ElementsAre(0, 1, 10, 11, 20, 21));
  EXPECT_EQ(report.classes, 6U);
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
}

TEST(Choose, OfOneIsNoChoiceAndOf4096IsTheMost) {
  EXPECT_EQ(explored([] { check(choose(1) == 0); }).executions, 1U);
  EXPECT_EQ(explored([] { choose(4096); }).executions, 4096U);
}

TEST(Assume, DropsExecutionsAndCountsThem) {
  const Report report = explored([] { assume(choose(10) % 3 == 0); });
  EXPECT_EQ(report.executions, 4U);
  EXPECT_EQ(report.dropped, 6U);
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
}

TEST(Assume, WithWhatIsNeverTrueEndsInNoPass) {
  const Report report = explore(
      "dropped", [] { assume(choose(5) > 5); }, exhaustively());
  EXPECT_EQ(report.verdict, Verdict::stopped);
  EXPECT_EQ(report.executions, 0U);
  EXPECT_EQ(report.dropped, 5U);
  EXPECT_EQ(report.stopped_by, "assume(), which dropped every execution");
}

TEST(NoPreemption, KeepsAThreadGoingUntilItBlocks) {
  const Report report = explored([] {
    atomic<int> x{0};
    const auto add = [&] {
      const no_preemption guard;
      x.store(x.load() + 1);
    };
    in_parallel(add, add);
    check(x.load() == 2);
  });
  EXPECT_EQ(report.executions, 2U);  // one for each order of the threads
}

TEST(NoPreemption, DoesNotHinderABlock) {
  explored([] {
    counting_semaphore<> ready{0};
    in_parallel(
        [&] {
          const no_preemption guard;
          ready.acquire();
        },
        [&] { ready.release(); });
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Objects outside the body

atomic<int> global_counter{7};
mutex global_mutex;
var<int> global_var{3};
condition_variable global_condition;
counting_semaphore<> global_semaphore{1};

TEST(ObjectsOutsideTheBody, StartEachExecutionAsTheyWereWhenTheSearchBegan) {
  global_counter.store(8);
  const Report report = explored([] {
    check(global_counter.load() == 8 && global_var == 3);
    const auto use = [] {
      const std::lock_guard guard(global_mutex);
      global_counter.fetch_add(1);
      ++global_var;
    };
    in_parallel(use, use);
    check(global_semaphore.try_acquire());
    check(!global_semaphore.try_acquire());
    check(global_counter.load() == 10 && global_var == 5);
    if (choose(2) == 1) global_mutex.lock();  // left locked
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
  EXPECT_EQ(global_counter.load(), 8);
  EXPECT_EQ(global_var, 3);
  EXPECT_TRUE(global_semaphore.try_acquire());
  global_semaphore.release();
  EXPECT_TRUE(global_mutex.try_lock());
  global_mutex.unlock();
  global_counter.store(7);
}

TEST(FunctionLocalStatics, AreObjectsOutsideTheBody) {
  explored([] {
    const auto use = [] {
      static atomic<int> counter{0};
      return counter.fetch_add(1);
    };
    int sum = 0;
    in_parallel([&] { sum += use(); }, [&] { sum += use(); });
    check(sum == 1, "the static does not begin anew");
  });
}

TEST(ObjectsOutsideTheBody, AreRestoredAfterFailuresToo) {
  Options options = exhaustively();
  options.keep_going = true;
  const Report report = explore(
      "fails",
      [] {
        const std::lock_guard guard(global_mutex);
        check(global_counter.fetch_add(1) == 7, "not restored");
        check(choose(3) != 1, "one");
      },
      options);
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_EQ(report.failures[0].message, "one");
  EXPECT_EQ(global_counter.load(), 7);
}

TEST(ObjectsOutsideTheBody, MayBelongToTheCallerOfExplore) {
  atomic<int> x{5};
  auto heap = std::make_unique<mutex>();
  explored([&] {
    in_parallel([&] { x.fetch_add(1); }, [&] { const std::lock_guard guard(*heap); });
    check(x.load() == 6);
  });
  EXPECT_EQ(x.load(), 5);
}

TEST(OutsideExplore, TheTypesAreTheRealThingBetweenOsThreads) {
  constexpr int kRounds = 2000;
  mutex m;
  timed_mutex timed;
  recursive_mutex recursive;
  shared_mutex shared;
  counting_semaphore<> seats{2};
  condition_variable condition;
  atomic<int> counter{0};
  atomic<int> go{0};
  int plain = 0;
  int finished = 0;
  const auto work = [&] {
    go.wait(0);
    for (int n = 0; n < kRounds; ++n) {
      counter.fetch_add(1);
      const std::lock_guard guard(m);
      ++plain;
      const std::lock_guard once(recursive);
      const std::lock_guard twice(recursive);
      const std::lock_guard also(timed);
      const std::shared_lock reads(shared);
      seats.acquire();
      seats.release();
    }
    {
      const std::lock_guard guard(m);
      ++finished;
    }
    condition.notify_one();
  };
  std::thread one(work);
  thread other(work);  // an OS thread too, here
  EXPECT_TRUE(other.joinable());
  go.store(1);
  go.notify_all();
  {
    std::unique_lock lock(m);
    condition.wait(lock, [&] { return finished == 2; });
    EXPECT_FALSE(condition.wait_for(lock, 1ms, [] { return false; }));
  }
  one.join();
  other.join();
  EXPECT_EQ(counter.load(), 2 * kRounds);
  EXPECT_EQ(plain, 2 * kRounds);
  EXPECT_EQ(choose(5), 0U);
  assume(false);
  yield();
  this_thread::sleep_for(1ms);
  EXPECT_GT(steady_clock::now().time_since_epoch().count(), 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// Atomics

template <class T>
void expect_the_operations_of_an_integer() {
  atomic<T> x(T{12});
  check(x.fetch_add(T{3}) == T{12});
  check(x.fetch_sub(T{5}) == T{15});
  check(x.fetch_and(T{6}) == T{10});
  check(x.fetch_or(T{5}) == T{2});
  check(x.fetch_xor(T{1}) == T{7});
  check(x == T{6});
  check(++x == T{7} && x++ == T{7} && --x == T{7} && x-- == T{7});
  check((x += T{4}) == T{10} && (x -= T{1}) == T{9} && (x &= T{3}) == T{1} && (x |= T{4}) == T{5} &&
        (x ^= T{1}) == T{4});
  check(x.exchange(T{1}) == T{4});
  T expected{2};
  check(!x.compare_exchange_strong(expected, T{9}) && expected == T{1});
  check(x.compare_exchange_weak(expected, T{9}) && x.load() == T{9});
  x = T{3};
  check(x.is_lock_free());
}

TEST(AtomicIntegers, HaveAllTheirOperations) {
  explored([] {
    expect_the_operations_of_an_integer<char>();
    expect_the_operations_of_an_integer<std::int8_t>();
    expect_the_operations_of_an_integer<std::uint16_t>();
    expect_the_operations_of_an_integer<int>();
    expect_the_operations_of_an_integer<unsigned long long>();
  });
}

TEST(AtomicIntegers, WrapAround) {
  explored([] {
    atomic<int> x{std::numeric_limits<int>::max()};
    x.fetch_add(1);
    check(x.load() == std::numeric_limits<int>::min());
    atomic<std::uint8_t> y{0};
    y.fetch_sub(1);
    check(y.load() == 255);
  });
}

struct Point {
  int x;
  int y;
  int z;
};
struct alignas(16) Wide {
  std::uint64_t low;
  std::uint64_t high;
};
enum class Colour : std::uint8_t { red, green };

TEST(AtomicsOfOtherTypes, LoadStoreExchangeAndCompare) {
  explored([] {
    atomic<Point> point(Point{1, 2, 3});
    Point expected = point.load();
    check(point.compare_exchange_strong(expected, Point{4, 5, 6}) && point.load().y == 5);
    check(!point.compare_exchange_strong(expected, Point{}) && expected.z == 6);

    atomic<Wide> wide(Wide{1, 2});
    Wide wide_expected{1, 2};
    check(wide.compare_exchange_weak(wide_expected, Wide{3, 4}) && wide.exchange(Wide{5, 6}).high == 4);

    atomic<double> number{1.5};
    check(number.fetch_add(2) == 1.5 && number.fetch_sub(1) == 3.5 && (number += 0.5) == 3.0);
    atomic<float> small{0.5F};
    check(small.exchange(1) == 0.5F);

    std::array<int, 3> array{};
    atomic<int*> pointer{array.data()};
    check(pointer.fetch_add(2) == array.data() && pointer-- == &array[2] && pointer.load() == &array[1]);

    atomic<bool> flag;
    check(!flag && !flag.exchange(true) && flag);
    atomic<Colour> colour{Colour::red};
    colour = Colour::green;
    check(colour.load() == Colour::green);

    atomic_flag raw;
    check(!raw.test_and_set() && raw.test());
    raw.clear();
    check(!raw.test());
  });
}

TEST(MemoryOrders, AreAcceptedAndSequentialConsistencyIsExplored) {
  // Store buffering, which relaxed atomics would allow.
  explored([] {
    atomic<int> x{0};
    atomic<int> y{0};
    int seen_x = 0;
    int seen_y = 0;
    in_parallel(
        [&] {
          x.store(1, memory_order_relaxed);
          hocket::atomic_thread_fence(memory_order_acq_rel);
          seen_y = y.load(memory_order_acquire);
        },
        [&] {
          y.store(1, std::memory_order_release);
          seen_x = x.load(std::memory_order_relaxed);
        });
    check(seen_x + seen_y > 0);
    int expected = 1;
    x.compare_exchange_strong(expected, 2, memory_order_acq_rel, memory_order_relaxed);
    x.fetch_add(1, memory_order_relaxed);
  });
}

TEST(AFailedCompareExchange, IsARead) {
  const Report report = explored([] {
    atomic<int> x{0};
    const auto fail = [&] {
      int expected = 1;
      x.compare_exchange_strong(expected, 2);
    };
    in_parallel(fail, fail);
  });
  EXPECT_EQ(report.executions, 2U);
  EXPECT_EQ(report.classes, 1U);
}

TEST(AtomicWait, ReturnsWhenTheValueHasChangedAndANotificationCame) {
  explored([] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          x.wait(0);
          check(x.load() != 0);
        },
        [&] {
          x.store(1);
          x.notify_one();
        });
  });
}

TEST(AtomicWait, ForWhatIsChangedWithoutANotificationIsADeadlock) {
  const Report report = explore(
      "no notify",
      [] {
        atomic<int> x{0};
        in_parallel([&] { x.wait(0); }, [&] { x.store(1); });
      },
      quietly());
  ASSERT_EQ(report.verdict, Verdict::failed);
  EXPECT_EQ(report.failures[0].kind, FailureKind::deadlock);
}

TEST(AtomicNotifyOne, WakesAnyOfTheWaiters) {
  std::set<int> first_woken;
  Options options = quietly();
  options.max_preemptions = 1;
  explored(
      [&] {
        atomic<int> x{0};
        atomic<int> first{-1};
        const auto wait = [&](int who) {
          x.wait(0);
          int nobody = -1;
          first.compare_exchange_strong(nobody, who);
        };
        in_parallel([&] { wait(0); }, [&] { wait(1); },
            [&] {
              x.store(1);
              x.notify_one();
              while (first.load() < 0) yield();
              x.notify_all();
            });
        first_woken.insert(first.load());
      },
      options);
  EXPECT_THAT(first_woken, ElementsAre(0, 1));
}

// ---------------------------------------------------------------------------------------------------------------------
// Semaphores, time, threads

TEST(ASemaphore, LetsInAsManyAsItCounts) {
  int most = 0;
  explored([&] {
    counting_semaphore<5> seats{2};
    atomic<int> x{0};
    int inside = 0;
    in_parallel_each(3, [&](unsigned) {
      seats.acquire();
      most = std::max(most, ++inside);
      check(inside <= 2);
      x.load();
      --inside;
      seats.release();
    });
    check(seats.try_acquire());
    check(seats.try_acquire_for(1s));
    check(!seats.try_acquire());
    check(!seats.try_acquire_for(1s));
    seats.release(5);
  });
  EXPECT_EQ(most, 2);
}

TEST(TheClock, MovesOnlyWhenNothingElseCanRun) {
  const auto outcomes = outcomes_by_bound([] {
    const auto begin = steady_clock::now();
    check(begin.time_since_epoch() == 0ns, "virtual time begins at 0");
    this_thread::sleep_for(3h);
    check(steady_clock::now() - begin == 3h, "nobody else could run");
    atomic<int> x{0};
    thread t([&] { x.store(1); });
    this_thread::sleep_for(1h);
    const bool waited = x.load() == 1;
    t.join();
    return waited;
  });
  EXPECT_EQ(outcomes.count(true), 1U);
  EXPECT_EQ(outcomes.at(true), 0U);
}

TEST(TheClock, IsAdvancedByAnExpiry) {
  explored([] {
    mutex m;
    condition_variable condition;
    std::unique_lock lock(m);
    const auto begin = steady_clock::now();
    condition.wait_for(lock, 250ms);
    check(steady_clock::now() - begin == 250ms);
    this_thread::sleep_until(begin + 1s);
    check(steady_clock::now() - begin == 1s);
  });
}

TEST(TimedWaits, ExpireInTheOrderOfTheirDeadlinesWhenNothingElseCanRun) {
  Options options = quietly();
  options.max_preemptions = 0;
  std::set<std::string> orders;
  explored(
      [&] {
        std::string order;
        mutex m;
        condition_variable condition;
        const auto wait = [&](char who, std::chrono::milliseconds time) {
          std::unique_lock lock(m);
          condition.wait_for(lock, time);
          order += who;
        };
        in_parallel([&] { wait('a', 30ms); }, [&] { wait('b', 10ms); }, [&] { wait('c', 20ms); });
        orders.insert(order);
      },
      options);
  EXPECT_EQ(orders.count("bca"), 1U);
}

TEST(ADetachedThread, RunsToItsEndBeforeTheExecutionIsOver) {
  int ended = 0;
  const Report report = explored([&] {
    atomic<int>* x = new atomic<int>(0);
    thread t([x, &ended] {
      x->store(1);
      delete x;
      ++ended;
    });
    t.detach();
    check(!t.joinable());
  });
  EXPECT_EQ(static_cast<std::uint64_t>(ended), report.executions);
}

TEST(Threads, PassArgumentsMoveSwapAndCompareAsStdThreadDoes) {
  explored([] {
    int sum = 0;
    auto owned = std::make_unique<int>(5);
    thread t([&](int a, std::unique_ptr<int> b) { sum = a + *b; }, 2, std::move(owned));
    thread u = std::move(t);
    check(!t.joinable() && u.joinable());  // NOLINT(bugprone-use-after-move): what is left is specified
    check(u.get_id() != this_thread::get_id() && t.get_id() == thread::id());
    swap(t, u);
    t.join();
    check(sum == 7);
    bool thrown = false;
    try {
      t.join();
    } catch (const std::system_error&) {
      thrown = true;
    }
    check(thrown, "join of what cannot be joined throws");
    std::ostringstream text;
    text << this_thread::get_id();
    check(text.str() == "thread 0");
  });
}

TEST(ThreadsThatThreadsCreate, AreNamedByCreatorAndOrdinal) {
  const Report report = explore(
      "names",
      [] {
        thread one([] {});
        thread two([] {
          thread a([] {});
          thread b([] {
            thread deep([] {});
            deep.join();
          });
          a.join();
          b.join();
        });
        one.join();
        two.join();
        check(false);
      },
      quietly());
  ASSERT_EQ(report.failures.size(), 1U);
  std::vector<std::string> names;
  for (const auto& entry : report.failures[0].schedule->threads) names.push_back(entry.label);
  EXPECT_THAT(names, ElementsAre("main", "thread 1", "thread 2", "thread 2.1", "thread 2.2", "thread 2.2.1"));
}

TEST(Classes, DoNotDependOnWhichThreadCreatesItsObjectsFirst) {
  // Two threads that make and use objects of their own, and meet nowhere: one class.
  const Report report = explored([] {
    const auto work = [] {
      atomic<int> mine{0};
      mine.store(1);
      thread child([&] { mine.store(2); });
      child.join();
    };
    in_parallel(work, work);
  });
  EXPECT_GT(report.executions, 1U);
  EXPECT_EQ(report.classes, 1U);
}

}  // namespace

TEST(Prices, LetAnyThreadBeginForFree) {
  hocket::Options options;
  options.max_preemptions = 0;
  options.try_saved = false;
  options.save_schedules = false;
  const hocket::Report report = hocket::explore(
      "who begins",
      [] {
        hocket::atomic<int> x{0};
        hocket::thread t([&] { x.store(1); });
        x.store(2);
        t.join();
      },
      options);
  EXPECT_EQ(report.executions, 2U);
}

TEST(Choose, BeforeTheFirstOperationOfAThreadDoesNotLetItRunAhead) {
  hocket::Options options;
  options.max_preemptions = hocket::unbounded;
  options.try_saved = false;
  options.save_schedules = false;
  const hocket::Report report = hocket::explore(
      "choose first",
      [] {
        hocket::atomic<int> x{0};
        hocket::thread t([&] {
          const auto value = static_cast<int>(hocket::choose(2));
          x.store(value);
        });
        x.store(2);
        t.join();
      },
      options);
  EXPECT_EQ(report.executions, 4U);  // two values, two orders
  EXPECT_EQ(report.classes, 4U);
}

TEST(Choose, AfterAYieldLeavesTheSwitchFree) {
  hocket::Options options;
  options.max_preemptions = 0;
  options.try_saved = false;
  options.save_schedules = false;
  const hocket::Report report = hocket::explore(
      "choose after yield",
      [] {
        hocket::atomic<int> x{0};
        x.store(1);
        hocket::thread t([&] { x.store(2); });
        hocket::yield();
        hocket::choose(2);
        x.store(3);
        t.join();
      },
      options);
  // Before the yield main has to go on; behind it either thread may, for each of the two values.
  EXPECT_EQ(report.executions, 4U);
}

}  // namespace hocket::test
