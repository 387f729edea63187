// std::promise, std::future, std::async and std::packaged_task.
#include <atomic>
#include <chrono>
#include <future>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using namespace std::chrono_literals;

TEST(AStdFuture, WaitsForItsPromise) {
  explored(within(1), [] {
    std::promise<std::string> promise;
    std::future<std::string> future = promise.get_future();
    std::thread t([&] { promise.set_value("kept"); });
    check(future.get() == "kept");
    t.join();
  });
}

TEST(AStdFuture, ThrowsWhatItsPromiseWasGiven) {
  explored(within(1), [] {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread t([&] { promise.set_exception(std::make_exception_ptr(std::runtime_error("no"))); });
    bool is_thrown = false;
    try {
      future.get();
    } catch (const std::runtime_error& error) {
      is_thrown = error.what() == std::string("no");
    }
    check(is_thrown);
    t.join();
  });
}

TEST(AStdFuture, OfABrokenPromiseThrows) {
  explored(within(1), [] {
    std::future<int> future;
    {
      std::promise<int> promise;
      future = promise.get_future();
    }
    bool is_broken = false;
    try {
      future.get();
    } catch (const std::future_error& error) {
      is_broken = error.code() == std::future_errc::broken_promise;
    }
    check(is_broken);
  });
}

TEST(AStdFuture, ThatNobodyKeepsIsADeadlock) {
  expect_failure(FailureKind::deadlock, 0, "main waits for the value of a future ", [] {
    std::promise<int> promise;
    promise.get_future().wait();
  });
}

TEST(ATaskOfAFuture, ThatWaitsForSomethingElseIsNotToldToWaitForTheFuture) {
  const std::string message = failure_of([] {
    std::atomic<int> never{0};
    std::async(std::launch::async, [&] { never.wait(0); }).wait();
  }).message;
  EXPECT_NE(message.find("thread 1 waits for a notification of "), std::string::npos) << message;
  EXPECT_EQ(message.find("the value of a future"), std::string::npos) << message;
}

TEST(AStdFuture, IsKeptInTimeOrItsTimeRunsOut) {
  const Outcomes outcomes = outcomes_by_bound(
      [] {
        std::promise<void> promise;
        std::future<void> future = promise.get_future();
        unsigned in_time = 0;
        in_parallel([&] { in_time = future.wait_for(10ms) == std::future_status::ready ? 1 : 0; },
            [&] { promise.set_value(); });
        return in_time;
      },
      exhaustively(), 1);
  EXPECT_EQ(outcomes, (Outcomes{{0, 1}, {1, 0}}));
}

TEST(AStdSharedFuture, GivesItsValueToAll) {
  explored(within(0), [] {
    std::promise<int> promise;
    const std::shared_future<int> future = promise.get_future().share();
    const auto get = [future] { check(future.get() == 4); };
    in_parallel(get, get, [&] { promise.set_value(4); });
  });
}

TEST(StdAsync, RunsOnAThreadOfItsOwn) {
  explored(within(1), [] {
    const std::thread::id self = std::this_thread::get_id();
    auto future = std::async(std::launch::async, [self] { return std::this_thread::get_id() != self; });
    check(future.get());
  });
}

TEST(StdAsync, ThatIsDeferredRunsInWhoGets) {
  explored([] {
    const std::thread::id self = std::this_thread::get_id();
    auto future = std::async(std::launch::deferred, [self] { return std::this_thread::get_id() == self; });
    check(future.wait_for(0s) == std::future_status::deferred);
    check(future.get());
  });
}

TEST(AStdPackagedTask, KeepsItsPromiseWhenItIsRun) {
  explored(within(1), [] {
    std::packaged_task<int(int)> task([](int n) { return 2 * n; });
    std::future<int> future = task.get_future();
    std::thread t(std::move(task), 21);
    check(future.get() == 42);
    t.join();
  });
}

TEST(AStdFuture, IsKeptAtTheEndOfItsThread) {
  explored(within(2), [] {
    std::promise<std::string> promise;
    std::future<std::string> future = promise.get_future();
    std::thread t([&] { promise.set_value_at_thread_exit("a text that lies outside of the string"); });
    check(future.get() == "a text that lies outside of the string");
    t.join();
  });
}

TEST(AStdFuture, KeptAtTheEndOfItsThreadMayBeForgottenBefore) {
  explored(within(2), [] {
    std::thread t([] {
      std::promise<int> promise;
      std::future<int> future = promise.get_future();
      promise.set_value_at_thread_exit(1);
    });
    std::packaged_task<int()> task([] { return 7; });
    std::future<int> future = task.get_future();
    std::thread u([&] { task.make_ready_at_thread_exit(); });
    future = {};
    t.join();
    u.join();
  });
}

TEST(AStdFuture, KeptAtTheEndOfItsThreadIsNotReadyBefore) {
  const std::set<unsigned> outcomes = outcomes_of([] {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::atomic<bool> is_set{false};
    std::thread t([&] {
      promise.set_value_at_thread_exit(1);
      check(future.wait_for(0ms) == std::future_status::timeout);
      is_set = true;
    });
    const bool was_set = is_set;
    const bool is_ready = future.wait_for(0ms) == std::future_status::ready;
    t.join();
    check(future.get() == 1);
    return (was_set ? 1U : 0U) + (is_ready ? 2U : 0U);
  });
  EXPECT_EQ(outcomes, (std::set<unsigned>{0, 1, 2, 3}));
}

TEST(AStdFuture, KeptAtTheEndOfAThreadThatWaitsForItIsADeadlock) {
  expect_failure(FailureKind::deadlock, 0, "deadlock", [] {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread([&] {
      promise.set_value_at_thread_exit(1);
      future.wait();
    }).join();
  });
}

}  // namespace

}  // namespace unmodified
