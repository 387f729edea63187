// An environment for asynchronous processing, modelled on APE, which Musuvathi and Qadeer describe in
// Iterative Context Bounding for Systematic Testing of Multithreaded Programs, 2007, section 4.1.
//
// Work items are posted to a queue, at once or after a delay, and worker threads run them; a timer thread
// posts the items whose delay is over. An item that has not begun to run can be cancelled: it stays in the
// queue, and the worker that takes it out does not run it. A shutdown runs everything that was accepted and
// ends all threads.
//
// Four bugs can be seeded, each a change of at most three lines of the environment. Nothing else depends
// on them: test_ape() checks one invariant, which only the correct environment keeps under every
// schedule.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <hocket/hocket.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "samples/sample_program.hpp"

namespace samples {

enum class ApeSeed {
  none,
  /// A worker checks for the end before it checks for work: an accepted item never runs.
  stops_before_its_work_is_done,
  /// The timer thread is notified of a new timer only if it is due before another one: the first timer may
  /// never start, and a thread that waits for it then waits for ever.
  starts_no_first_timer,
  /// A worker reports that an item is finished before the worker's last access to it: it uses an item that
  /// has been destroyed.
  touches_finished_item,
  /// A worker claims an item with a load and a store: an item runs although it was cancelled.
  claims_without_exchange,
};

/// Work to do once. The owner keeps an item until it is finished, or until it has been cancelled and the
/// environment is shut down.
class WorkItem {
 public:
  WorkItem(const std::string& name, std::function<void()> work) : work_(std::move(work)) {
    hocket::name(state_, name);
    hocket::name(finished_, name + " finished");
  }

  /// Called by the owner: waits until the item has run.
  void wait() { finished_.acquire(); }

 private:
  template <ApeSeed seed>
  friend class ProcessingEnvironment;
  enum class State { waiting, running, done, cancelled };

  hocket::atomic<State> state_{State::waiting};
  hocket::binary_semaphore finished_{0};
  std::function<void()> work_;
};

template <ApeSeed seed = ApeSeed::none>
class ProcessingEnvironment {
  using State = WorkItem::State;
  using Clock = hocket::steady_clock;

 public:
  explicit ProcessingEnvironment(int workers) : workers_(workers) {
    hocket::name(lock_, "lock");
    hocket::name(work_, "work");
    hocket::name(timers_changed_, "timers");
    for (int n = 1; n <= workers; ++n) {
      threads_.emplace_back([this] { run_items(); });
      hocket::name(threads_.back(), "worker " + std::to_string(n));
    }
    threads_.emplace_back([this] { run_timers(); });
    hocket::name(threads_.back(), "timer");
  }

  /// For any thread. Returns false if the environment is being shut down; the item will then not run.
  bool post(WorkItem& item) {
    {
      const std::lock_guard guard(lock_);
      if (is_stopping_) return false;
      queue_.push_back(&item);
    }
    work_.release();
    return true;
  }

  /// For any thread. Posts the item after `delay`, unless the environment is shut down before.
  void post_after(std::chrono::nanoseconds delay, WorkItem& item) {
    const Clock::time_point due = Clock::now() + delay;
    bool is_first = false;
    {
      const std::lock_guard guard(lock_);
      is_first = timers_.empty() ? seed != ApeSeed::starts_no_first_timer : due < timers_.begin()->first;
      timers_.emplace(due, &item);
    }
    if (is_first) timers_changed_.notify_one();
  }

  /// For any thread. Returns true if the item will not run.
  static bool cancel(WorkItem& item) {
    State expected = State::waiting;
    return item.state_.compare_exchange_strong(expected, State::cancelled);
  }

  /// Called once, by the thread that made the environment. Returns when everything that was accepted has run.
  /// The result is the number of delayed items that were never posted.
  std::size_t shut_down() {
    {
      const std::lock_guard guard(lock_);
      is_stopping_ = true;
    }
    work_.release(workers_);
    timers_changed_.notify_one();
    for (hocket::thread& thread : threads_) thread.join();
    return timers_.size() + refused_;
  }

 private:
  // The function of a worker thread.
  void run_items() {
    for (;;) {
      work_.acquire();
      WorkItem* item = nullptr;
      {
        const std::lock_guard guard(lock_);
        if (seed == ApeSeed::stops_before_its_work_is_done ? is_stopping_ : queue_.empty()) return;
        item = queue_.front();
        queue_.pop_front();
      }
      run(*item);
    }
  }

  static void run(WorkItem& item) {
    if (!claim(item)) return;
    item.work_();
    if (seed != ApeSeed::touches_finished_item) item.state_.store(State::done);
    item.finished_.release();  // the owner may destroy it from here on
    if (seed == ApeSeed::touches_finished_item) item.state_.store(State::done);
  }

  static bool claim(WorkItem& item) {
    State expected = State::waiting;
    if (seed != ApeSeed::claims_without_exchange) {
      return item.state_.compare_exchange_strong(expected, State::running);
    }
    if (item.state_.load() != expected) return false;
    item.state_.store(State::running);
    return true;
  }

  // The function of the timer thread.
  void run_timers() {
    std::unique_lock guard(lock_);
    while (!is_stopping_) {
      if (timers_.empty()) {
        timers_changed_.wait(guard);
      } else if (timers_changed_.wait_until(guard, timers_.begin()->first) == hocket::cv_status::timeout) {
        WorkItem& item = *timers_.begin()->second;
        timers_.erase(timers_.begin());
        guard.unlock();
        const bool is_posted = post(item);
        guard.lock();
        if (!is_posted) ++refused_;
      }
    }
  }

  hocket::mutex lock_;
  hocket::counting_semaphore<> work_{0};       ///< one for each posted item, and finally one for each worker
  hocket::condition_variable timers_changed_;  ///< another timer is due first, or the end has come
  std::deque<WorkItem*> queue_;                ///< guarded by lock_, as are the members below
  std::multimap<Clock::time_point, WorkItem*> timers_;
  std::size_t refused_ = 0;  ///< items that were due when nothing was accepted any more
  bool is_stopping_ = false;
  const int workers_;
  std::vector<hocket::thread> threads_;
};

/// The body of a test: two items are delayed, one is posted and cancelled, and one is posted just before the
/// environment is shut down. Every item runs once, unless it was cancelled or its delay was not over. A
/// finished item may be destroyed.
template <ApeSeed seed>
void test_ape(int workers = 2) {
  hocket::name_this_thread("owner");
  hocket::var<int> delayed_runs = 0;
  hocket::var<int> late_runs = 0;
  hocket::var<int> cancelled_runs = 0;
  hocket::var<int> last_runs = 0;
  hocket::name(delayed_runs, "delayed runs");
  hocket::name(late_runs, "late runs");
  hocket::name(cancelled_runs, "cancelled runs");
  hocket::name(last_runs, "last runs");
  auto delayed = std::make_unique<WorkItem>("delayed", [&] { ++delayed_runs; });
  WorkItem late("late", [&] { ++late_runs; });
  WorkItem cancelled("cancelled", [&] { ++cancelled_runs; });
  WorkItem last("last", [&] { ++last_runs; });

  ProcessingEnvironment<seed> environment(workers);
  environment.post_after(std::chrono::seconds(1), *delayed);
  environment.post_after(std::chrono::seconds(1), late);
  delayed->wait();
  delayed.reset();

  environment.post(cancelled);
  const bool is_cancelled = environment.cancel(cancelled);
  environment.post(last);
  const int too_late = static_cast<int>(environment.shut_down());

  hocket::check(delayed_runs == 1, "the delayed item has run twice");
  hocket::check(late_runs + too_late == 1, "the late item was accepted, and has not run once");
  hocket::check(!is_cancelled || cancelled_runs == 0, "the cancelled item has run");
  hocket::check(is_cancelled || cancelled_runs == 1, "the item that could not be cancelled has not run once");
  hocket::check(last_runs == 1, "the last item was accepted, and has not run once");
  hocket::check(!environment.post(last), "the environment accepts items although it is shut down");
}

inline SampleProgram ape_program() {
  return {"asynchronous processing environment", 4, [] { test_ape<ApeSeed::none>(); },
      {{"stops before its work is done", 0, hocket::FailureKind::check,
           "the last item was accepted, and has not run once",
           [] { test_ape<ApeSeed::stops_before_its_work_is_done>(); }},
          {"starts no first timer", 0, hocket::FailureKind::deadlock,
              "timer waits for a notification of timers", [] { test_ape<ApeSeed::starts_no_first_timer>(); }},
          {"touches a finished item", 1, hocket::FailureKind::use_after_destruction,
              "is about to perform atomic.store on it", [] { test_ape<ApeSeed::touches_finished_item>(); }},
          {"claims without exchange", 2, hocket::FailureKind::check, "the cancelled item has run",
              [] { test_ape<ApeSeed::claims_without_exchange>(); }}}};
}

}  // namespace samples
