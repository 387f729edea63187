// A queue of jobs that looks whether somebody sleeps before it notifies.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include <hocket/gtest.hpp>

namespace {

class JobQueue {
 public:
  void push(std::function<void()> job) {
    bool is_somebody_asleep = false;
    {
      std::lock_guard lock(mutex_);
      is_somebody_asleep = sleeping_ != 0;
      jobs_.push_back(std::move(job));
    }
    if (is_somebody_asleep) has_jobs_.notify_one();
  }
  std::function<void()> pop() {
    std::unique_lock lock(mutex_);
    if (jobs_.empty()) {
      lock.unlock();  // the logger has a lock of its own
      log("idle");
      lock.lock();
      ++sleeping_;
      has_jobs_.wait(lock);
      --sleeping_;
    }
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

 private:
  void log(const char* /*message*/) { std::lock_guard lock(log_mutex_); }

  std::mutex mutex_;
  std::mutex log_mutex_;
  std::condition_variable has_jobs_;
  std::deque<std::function<void()>> jobs_;
  int sleeping_ = 0;
};

}  // namespace

HOCKET_TEST(Failures, LostWakeUp) {
  JobQueue queue;
  int done = 0;
  std::thread worker([&] { queue.pop()(); });
  queue.push([&done] { ++done; });
  worker.join();
  EXPECT_EQ(done, 1);
}
