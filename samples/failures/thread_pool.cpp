// A pool of threads that tells its workers to stop by an atomic flag, and therefore without the mutex.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <hocket/gtest.hpp>

namespace {

class ThreadPool {
 public:
  explicit ThreadPool(int workers) {
    for (int n = 0; n < workers; ++n) workers_.emplace_back([this] { work(); });
  }
  ~ThreadPool() {
    stopping_ = true;
    has_work_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  void submit(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    has_work_.notify_one();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      has_work_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<std::function<void()>> tasks_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> workers_;
};

}  // namespace

HOCKET_TEST(Failures, FlagThatIsSetWithoutTheMutex) {
  std::atomic<int> done{0};
  {
    ThreadPool pool(2);
    pool.submit([&done] { ++done; });
  }
  EXPECT_EQ(done, 1);
}
