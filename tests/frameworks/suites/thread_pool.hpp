// A pool whose threads steal tasks from one another, as header-only libraries have it: written without a
// thought of Hocket. (std::jthread, semaphores, futures, and atomics that are waited for.)
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

namespace suites {

template <typename T>
class SafeQueue {
 public:
  void push_back(T&& value) {
    const std::scoped_lock lock(mutex_);
    values_.push_back(std::move(value));
  }
  std::optional<T> pop_front() {
    const std::scoped_lock lock(mutex_);
    if (values_.empty()) return std::nullopt;
    std::optional<T> front = std::move(values_.front());
    values_.pop_front();
    return front;
  }
  std::optional<T> steal() {
    const std::scoped_lock lock(mutex_);
    if (values_.empty()) return std::nullopt;
    std::optional<T> back = std::move(values_.back());
    values_.pop_back();
    return back;
  }
  std::size_t clear() {
    const std::scoped_lock lock(mutex_);
    const std::size_t size = values_.size();
    values_.clear();
    return size;
  }

 private:
  std::deque<T> values_;
  mutable std::mutex mutex_;
};

class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads = std::thread::hardware_concurrency()) : workers_(threads) {
    for (std::size_t id = 0; id < workers_.size(); ++id)
      threads_.emplace_back([this, id](const std::stop_token& stop) { work(id, stop); });
  }
  ~ThreadPool() {
    wait_for_tasks();
    for (std::size_t id = 0; id < threads_.size(); ++id) {
      threads_[id].request_stop();
      workers_[id].signal.release();
      threads_[id].join();
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  template <typename Function, typename... Args>
  [[nodiscard]] auto enqueue(Function function, Args... args) {
    using Result = std::invoke_result_t<Function&&, Args&&...>;
    auto promise = std::make_shared<std::promise<Result>>();
    auto future = promise->get_future();
    add([function = std::move(function), ... args = std::move(args), promise = std::move(promise)]() mutable {
      try {
        if constexpr (std::is_void_v<Result>) {
          std::invoke(function, args...);
          promise->set_value();
        } else {
          promise->set_value(std::invoke(function, args...));
        }
      } catch (...) {
        promise->set_exception(std::current_exception());
      }
    });
    return future;
  }
  template <typename Function>
  void enqueue_detach(Function function) {
    add([function = std::move(function)]() mutable {
      try {
        std::invoke(function);
      } catch (...) {
      }
    });
  }

  /// Also those that tasks add.
  void wait_for_tasks() {
    while (in_flight_.load(std::memory_order_acquire) > 0) are_done_.wait(false);
  }
  std::size_t clear_tasks() {
    std::size_t cleared = 0;
    for (Worker& worker : workers_) cleared += worker.tasks.clear();
    unassigned_.fetch_sub(static_cast<std::ptrdiff_t>(cleared), std::memory_order_release);
    finish(static_cast<std::ptrdiff_t>(cleared));
    return cleared;
  }
  [[nodiscard]] std::size_t size() const { return threads_.size(); }

 private:
  using Task = std::function<void()>;
  struct Worker {
    SafeQueue<Task> tasks;
    std::counting_semaphore<> signal{0};
  };

  void add(Task task) {
    const std::size_t id = next_.fetch_add(1) % workers_.size();
    unassigned_.fetch_add(1, std::memory_order_release);
    if (in_flight_.fetch_add(1, std::memory_order_release) == 0)
      are_done_.store(false, std::memory_order_release);
    workers_[id].tasks.push_back(std::move(task));
    const std::lock_guard lock(workers_mutex_);
    if (!has_signal_[id % kMost].exchange(true)) workers_[id].signal.release();
  }
  void finish(std::ptrdiff_t number) {
    if (number == 0 || in_flight_.fetch_sub(number, std::memory_order_acq_rel) != number) return;
    are_done_.store(true, std::memory_order_release);
    are_done_.notify_all();
  }
  void run(Task task) {
    unassigned_.fetch_sub(1, std::memory_order_release);
    task();
    finish(1);
  }
  void work(std::size_t id, const std::stop_token& stop) {
    do {
      workers_[id].signal.acquire();
      has_signal_[id % kMost] = false;
      do {
        while (auto task = workers_[id].tasks.pop_front()) run(std::move(*task));
        for (std::size_t n = 1; n < workers_.size(); ++n) {
          auto task = workers_[(id + n) % workers_.size()].tasks.steal();
          if (!task) continue;
          run(std::move(*task));
          break;
        }
      } while (unassigned_.load(std::memory_order_acquire) > 0);
    } while (!stop.stop_requested());
  }

  static constexpr std::size_t kMost = 64;

  std::deque<Worker> workers_;
  std::array<std::atomic<bool>, kMost> has_signal_{};
  std::mutex workers_mutex_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::ptrdiff_t> unassigned_{0};
  std::atomic<std::ptrdiff_t> in_flight_{0};
  std::atomic<bool> are_done_{false};
  std::deque<std::jthread> threads_;
};

}  // namespace suites
