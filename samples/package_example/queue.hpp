// A queue that does not use Hocket and has a bug: pop() checks and takes in two separate critical sections.
#pragma once

#include <deque>
#include <mutex>
#include <optional>

class Queue {
 public:
  void push(int item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(item);
  }

  std::optional<int> pop() {
    if (is_empty()) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const int first = items_.front();
    items_.pop_front();
    return first;
  }

  bool is_empty() {
    const std::lock_guard lock(mutex_);
    return items_.empty();
  }

 private:
  std::mutex mutex_;
  std::deque<int> items_;
};
