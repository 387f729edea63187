// Objects that live outside the body, and the types outside any search.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;

atomic<int> global_counter{7};
mutex global_mutex;
var<int> global_var{3};
condition_variable global_condition;
counting_semaphore<> global_semaphore{1};

TEST(ObjectsOutsideTheBody, StartEachExecutionAsTheyWereWhenTheSearchBegan) {
  global_counter.store(8);
  const Report report = explored(exhaustively({.detect = Detectors().without(Detector::held_locks)}), [] {
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
  const Report report = report_of(exhaustively({.keep_going = true}), [] {
    const std::lock_guard guard(global_mutex);
    check(global_counter.fetch_add(1) == 7, "not restored");
    check(choose(3) != 1, "one");
  });
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

// What a body makes anew in global storage is the same in each execution, whether the one before has left its
// own or not.
struct Shared {
  mutex m;
  condition_variable filled;
  var<int> items{0};
};
std::optional<Shared> in_place;
std::unique_ptr<Shared> on_heap;

// Not in line: g++ 12 takes what is in a std::optional for uninitialised.
[[gnu::noinline]] void make_in_place() {
  in_place.emplace();
}
[[gnu::noinline]] void end_in_place() {
  in_place.reset();
}

void use(Shared& shared) {
  thread adder([&] {
    const std::lock_guard guard(shared.m);
    ++shared.items;
    shared.filled.notify_one();
  });
  {
    std::unique_lock lock(shared.m);
    shared.filled.wait(lock, [&] { return shared.items != 0; });
  }
  adder.join();
}

TEST(ObjectsInGlobalStorage, MayBeMadeAnewInEachExecution) {
  constexpr unsigned kExecutions = 2;
  const auto runs_twice = [&](const std::function<void()>& body) {
    const Report report = explored(body);
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
    EXPECT_EQ(report.executions, kExecutions);
    EXPECT_EQ(report.classes, kExecutions);
  };
  for (int search = 0; search < 2; ++search) {
    runs_twice([] {
      make_in_place();
      use(*in_place);
    });
    runs_twice([] {
      on_heap = std::make_unique<Shared>();
      use(*on_heap);
    });
  }
  runs_twice([] {
    make_in_place();
    use(*in_place);
    end_in_place();
  });
  runs_twice([] {
    make_in_place();
    end_in_place();
    make_in_place();
    use(*in_place);
  });
  on_heap.reset();
}

TEST(ObjectsInGlobalStorage, AreMissedAfterTheirDestruction) {
  const Report report = report_of({.save_schedules = false}, [] {
    make_in_place();
    thread user([] { const std::lock_guard guard(in_place->m); });
    end_in_place();
    user.join();
  });
  ASSERT_EQ(report.verdict, Verdict::failed) << report;
  EXPECT_EQ(report.failures[0].kind, FailureKind::use_after_destruction);
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

}  // namespace

}  // namespace hocket::test
