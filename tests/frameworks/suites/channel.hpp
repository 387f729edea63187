// A channel between threads, as header-only libraries have it: written without a thought of Hocket.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <utility>

namespace suites {

struct ClosedChannel : std::runtime_error {
  using runtime_error::runtime_error;
};

template <typename T>
class Channel {
 public:
  /// Reads until the channel is closed and empty.
  class Iterator {
   public:
    explicit Iterator(Channel& channel) : channel_(channel) {}
    T operator*() {
      T value{};
      channel_ >> value;
      return value;
    }
    Iterator& operator++() { return *this; }
    bool operator!=(const Iterator& /*end*/) const {
      std::unique_lock lock(channel_.mutex_);
      channel_.wait_for_values(lock);
      return !(channel_.is_closed_ && channel_.values_.empty());
    }

   private:
    Channel& channel_;
  };

  explicit Channel(std::size_t capacity = 0) : capacity_(capacity) {}

  friend Channel& operator<<(Channel& channel, T value) {
    if (channel.closed()) throw ClosedChannel("a closed channel takes no values");
    std::unique_lock lock(channel.mutex_);
    if (channel.capacity_ > 0)
      channel.changed_.wait(lock, [&channel] { return channel.values_.size() < channel.capacity_; });
    channel.values_.push(std::move(value));
    ++channel.size_;
    lock.unlock();
    channel.changed_.notify_all();
    return channel;
  }
  friend Channel& operator>>(Channel& channel, T& value) {
    std::unique_lock lock(channel.mutex_);
    channel.wait_for_values(lock);
    if (channel.values_.empty()) return channel;
    value = std::move(channel.values_.front());
    channel.values_.pop();
    --channel.size_;
    lock.unlock();
    channel.changed_.notify_all();
    return channel;
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
    }
    changed_.notify_all();
  }
  [[nodiscard]] bool closed() const { return is_closed_.load(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  Iterator begin() { return Iterator(*this); }
  Iterator end() { return Iterator(*this); }

 private:
  void wait_for_values(std::unique_lock<std::mutex>& lock) {
    changed_.wait(lock, [this] { return !values_.empty() || is_closed_; });
  }

  const std::size_t capacity_;
  std::queue<T> values_;
  std::atomic<std::size_t> size_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> is_closed_{false};
};

}  // namespace suites
