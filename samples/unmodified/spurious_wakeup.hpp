// A thread waits for a result with `if` instead of `while`. It continues after a spurious wake-up, which the
// standard allows. (Found with Options::spurious_wakeups.)
#pragma once

#include <condition_variable>
#include <hocket/hocket.hpp>
#include <mutex>
#include <optional>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::spurious_wakeup {

template <Version version>
class Result {
 public:
  void set(int value) {
    const std::lock_guard lock(mutex_);
    value_ = value;
    is_set_.notify_one();
  }
  int get() {
    std::unique_lock lock(mutex_);
    if constexpr (version == Version::buggy) {
      if (!value_) is_set_.wait(lock);
    } else {
      while (!value_) is_set_.wait(lock);
    }
    hocket::check(value_.has_value(), "a result that is not there yet");  // @check
    return *value_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable is_set_;
  std::optional<int> value_;
};

template <Version version>
void body() {
  Result<version> result;
  std::thread worker([&] { result.set(42); });
  hocket::check(result.get() == 42, "another result");
  worker.join();
}

}  // namespace samples::spurious_wakeup
