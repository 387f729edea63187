// std::thread and std::jthread: who runs when, what ends a thread.
#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <semaphore>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(AStdThread, RunsUpToItsFirstOperationInsideItsCreatorsStep) {
  const Report report = explored([] {
    int order = 0;
    std::thread([&] { check(order++ == 0, "the creator went on first"); }).join();
    check(order == 1, "the thread has not run");
  });
  EXPECT_EQ(report.executions, 1U);
}

TEST(AStdThread, IsOrderedAfterItsCreatorAndBeforeItsJoiner) {
  explored([] {
    int data = 1;
    std::thread([&] { check(++data == 2); }).join();
    check(++data == 3);
  });
}

TEST(AStdThread, TakesArgumentsByValueAndByReference) {
  explored([] {
    std::string text = "text";
    int sum = 0;
    // NOLINTNEXTLINE(performance-unnecessary-value-param): what is tested
    std::thread([](std::string copy, int n, int& result) { result = static_cast<int>(copy.size()) + n; },
        text, 3, std::ref(sum))
        .join();
    check(sum == 7);
  });
}

TEST(AStdThread, HasAnIdOfItsOwn) {
  explored([] {
    std::set<std::thread::id> ids{std::this_thread::get_id()};
    std::thread::id seen_inside;
    std::thread a([&] { seen_inside = std::this_thread::get_id(); });
    std::thread b([] {});
    ids.insert(a.get_id());
    ids.insert(b.get_id());
    check(ids.size() == 3, "two threads have the same id");
    const std::thread::id id = a.get_id();
    a.join();
    b.join();
    check(seen_inside == id && a.get_id() == std::thread::id());
  });
}

TEST(AStdThread, MayBeDetachedAndThenRunsOn) {
  const Outcomes outcomes = outcomes_by_bound([] {
    static std::atomic<int> n;
    std::thread([] { n.fetch_add(1); }).detach();
    const int seen = n.load();
    while (n.load() == 0) std::this_thread::yield();
    return static_cast<unsigned>(seen);
  });
  EXPECT_EQ(outcomes, (Outcomes{{0, 0}, {1, 0}}));
}

/// As libraries do for work in the background: the first task starts a thread that lives as long as the
/// process.
class Background {
 public:
  static Background& instance() {
    static Background* const only = new Background;
    return *only;
  }

  void run(std::function<void()> task) {
    const std::lock_guard held(lock_);
    if (!std::exchange(is_started_, true)) std::thread([this] { work(); }).detach();
    tasks_.push_back(std::move(task));
    has_tasks_.notify_one();
  }

 private:
  [[noreturn]] void work() {
    for (;;) {
      std::unique_lock held(lock_);
      has_tasks_.wait(held, [this] { return !tasks_.empty(); });
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      held.unlock();
      task();
    }
  }

  std::mutex lock_;
  std::condition_variable has_tasks_;
  std::deque<std::function<void()>> tasks_;
  bool is_started_ = false;
};

void run_in_background() {
  std::binary_semaphore is_done{0};
  Background::instance().run([&] { is_done.release(); });
  is_done.acquire();
}

Options where_workers_may_wait() {
  return exhaustively({.detect = Detectors().without(Detector::detached_threads)});
}

TEST(AWorkerOfTheProcess, MayWaitWhenTheBodyEndsAndEachExecutionStartsItsOwn) {
  const FoundFailure leak = failure_of(run_in_background);
  EXPECT_EQ(to_string(leak.kind), "leak");
  for (const char* const strategy : {"auto", "icb", "dfs", "hb-cache"}) {
    Options options = where_workers_may_wait();
    options.strategy = strategy;
    options.detect = options.detect.with(Detector::leaked_memory);
    const Report report = explored(run_in_background, options);
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
    EXPECT_EQ(report.note, "an execution ended with its body while 1 detached thread waited");
  }
}

TEST(AWorkerOfTheProcess, IsSaidToBeGoneWhereMemoryIsNotPutBack) {
  Options options = where_workers_may_wait();
  options.restore = hocket::Restore::nothing;
  const Report report = report_of(options, run_in_background);
  EXPECT_TRUE(report.failed()) << "the second execution believes that it has a worker";
  EXPECT_EQ(report.note,
      "an execution ended with its body while 1 detached thread waited; it is gone in the next execution, "
      "but what the program keeps of it is not");
}

TEST(AWorkerOfTheProcess, IsNoExcuseForADeadlock) {
  const auto body = [] {
    Background::instance().run([] {});
    std::binary_semaphore(0).acquire();
  };
  EXPECT_EQ(to_string(failure_of(body, where_workers_may_wait()).kind), "deadlock");
}

TEST(AStdThread, ThatCreatesThreadsIsControlledAsTheyAre) {
  const Report report = explored([] {
    std::atomic<int> n{0};
    std::thread([&] { in_parallel([&] { n.fetch_add(1); }, [&] { n.fetch_add(1); }); }).join();
    check(n.load() == 2);
  });
  EXPECT_EQ(report.classes, 2U);
}

TEST(AStdThread, ThatIsDestroyedBeforeItsJoinEndsTheProgram) {
  expect_failure(
      FailureKind::terminate, 0, "neither joined nor detached: thread 1", [] { const std::thread t([] {}); });
}

TEST(AStdThread, ThatAnExceptionDestroysBeforeItsJoinIsToldWithTheException) {
  expect_failure(FailureKind::terminate, 0,
      "std::terminate was called in main, after an exception std::out_of_range: nothing left; neither joined "
      "nor detached: thread 1",
      [] {
        std::thread t([] {});
        if (t.joinable()) throw std::out_of_range("nothing left");
        t.join();
      });
}

TEST(AStdThread, ThatTerminatesAndIsBeingJoinedIsNotToldOfAsLeftOpen) {
  const std::string message =
      message_of(FailureKind::terminate, [] { std::thread([] { std::terminate(); }).join(); });
  EXPECT_EQ(message.find("neither joined"), std::string::npos) << message;
}

TEST(AStdThread, BeginsWithTheRoundingOfItsCreator) {
  explored([] {
    check(std::fegetround() == FE_TONEAREST, "what an earlier execution has set");
    std::fesetround(FE_UPWARD);
    std::thread([] { check(std::fegetround() == FE_UPWARD, "not as its creator"); }).join();
  });
}

TEST(AStdThread, ThatAnExceptionLeavesEndsTheProgram) {
  expect_failure(FailureKind::exception, 0, "out of milk",
      [] { std::thread([] { throw std::runtime_error("out of milk"); }).join(); });
}

TEST(AStdThread, CannotJoinItself) {
  explored([] {
    std::thread t;
    std::atomic<bool> is_there{false};
    t = std::thread([&] {
      is_there.wait(false);
      bool is_refused = false;
      try {
        t.join();
      } catch (const std::system_error& error) {
        is_refused = error.code() == std::errc::resource_deadlock_would_occur;
      }
      check(is_refused);
    });
    is_there = true;
    is_there.notify_one();
    t.join();
  });
}

TEST(AStdThread, ThatWaitsForOneThatWaitsForItIsADeadlock) {
  expect_failure(FailureKind::deadlock, 0, "deadlock", [] {
    std::atomic<int> never{0};
    std::thread([&] { never.wait(0); }).join();
  });
}

TEST(AJthread, IsToldToStopAndJoinedByItsDestructor) {
  explored(within(1), [] {
    std::atomic<bool> has_stopped{false};
    {
      const std::jthread t([&](const std::stop_token& token) {
        while (!token.stop_requested()) std::this_thread::yield();
        has_stopped = true;
      });
    }
    check(has_stopped, "the destructor did not wait");
  });
}

TEST(AStopCallback, IsCalledOnceByTheStoppingThreadOrWhereItIsMade) {
  const Outcomes outcomes =
      outcomes_by_bound(exhaustively({.detect = Detectors().without(Detector::races)}), [] {
        std::stop_source source;
        int calls = 0;
        bool is_called_by_stopper = false;
        std::thread::id stopper_id;
        std::thread stopper([&] { source.request_stop(); });
        stopper_id = stopper.get_id();
        {
          const std::stop_callback callback(source.get_token(), [&] {
            ++calls;
            is_called_by_stopper = std::this_thread::get_id() == stopper_id;
          });
        }
        stopper.join();
        check(calls <= 1);
        return static_cast<unsigned>(calls) + (is_called_by_stopper ? 1U : 0U);
      });
  EXPECT_EQ(outcomes, (Outcomes{{0, 0}, {1, 0}, {2, 1}}));
}

TEST(AStdThread, HasAKernelIdThatNoOtherHas) {
  explored([] {
    pid_t first = 0;
    pid_t second = 0;
    in_parallel([&] { first = gettid(); }, [&] { second = gettid(); });
    check(first != second && first != gettid() && first != 0);
  });
}

}  // namespace

}  // namespace unmodified
