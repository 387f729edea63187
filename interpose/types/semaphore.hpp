// hocket::counting_semaphore and binary_semaphore: the standard's semaphores under control.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <limits>
#include <mutex>
#include <string>

#include "../../runtime/execution/locking.hpp"
#include "../../runtime/execution/step.hpp"
#include "../../runtime/terms/where.hpp"
#include "clock.hpp"

namespace hocket {

template <std::ptrdiff_t least_max_value = std::numeric_limits<std::ptrdiff_t>::max()>
class counting_semaphore {
  static_assert(least_max_value >= 0);
  using Where = runtime::Where;
  using Operation = runtime::Operation;

 public:
  explicit counting_semaphore(std::ptrdiff_t desired, Where where = Where::current())
      : model_(desired, least_max_value, where) {}
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;
  ~counting_semaphore() { runtime::step::destroy(model_, Where{}); }

  static constexpr std::ptrdiff_t max() noexcept { return least_max_value; }

  void release(std::ptrdiff_t update = 1, Where where = Where::current()) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      const std::lock_guard lock(outside_mutex_);
      model_.state.count += update;
      outside_condition_.notify_all();
      return;
    }
    if (!runtime::step::arrive(model_, Operation::semaphore_release, true, where)) return;
    if (update < 0 || update > least_max_value - model_.state.count) {
      const std::string what = update < 0
                                   ? " by " + std::to_string(update) + "; the number must not be negative"
                                   : " beyond its maximum of " + std::to_string(least_max_value);
      runtime::step::fail(runtime::FailureKind::misuse,
          describe(*runtime::run.current) + " releases " + describe(model_) + what, where);
      return;
    }
    runtime::release(model_, update);
  }

  void acquire(Where where = Where::current()) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      std::unique_lock lock(outside_mutex_);
      outside_condition_.wait(lock, [&] { return model_.state.can_acquire(); });
      --model_.state.count;
      return;
    }
    if (runtime::arrive_to_take(model_, Operation::semaphore_acquire, where))
      runtime::acquire(model_, Operation::semaphore_acquire);
  }

  bool try_acquire(Where where = Where::current()) {
    if (!runtime::is_controlled()) return try_acquire_outside(std::chrono::nanoseconds(0));
    if (!runtime::step::arrive(model_, Operation::semaphore_try_acquire, true, where)) return true;
    return runtime::take_or_fail(model_, Operation::semaphore_try_acquire);
  }

  template <class Rep, class Period>
  bool try_acquire_for(const std::chrono::duration<Rep, Period>& duration, Where where = Where::current()) {
    if (!runtime::is_controlled()) return try_acquire_outside(duration);
    const std::int64_t time = detail::nanoseconds(duration);
    if (time == 0) return try_acquire(where);
    if (!runtime::step::arrive_timed(model_, Operation::semaphore_try_acquire_for, time, where)) return true;
    return runtime::take_or_fail(model_, Operation::semaphore_try_acquire_for);
  }
  template <class Clock, class Duration>
  bool try_acquire_until(
      const std::chrono::time_point<Clock, Duration>& time, Where where = Where::current()) {
    return try_acquire_for(detail::until(time), where);
  }

  /// For hocket::name.
  [[nodiscard]] const runtime::Object& hocket_object() const { return model_; }

 private:
  template <class Rep, class Period>
  bool try_acquire_outside(const std::chrono::duration<Rep, Period>& duration) {
    runtime::outside_operation();
    std::unique_lock lock(outside_mutex_);
    if (!outside_condition_.wait_for(lock, duration, [&] { return model_.state.can_acquire(); }))
      return false;
    --model_.state.count;
    return true;
  }

  runtime::Semaphore model_;
  std::mutex outside_mutex_;
  std::condition_variable outside_condition_;
};

using binary_semaphore = counting_semaphore<1>;

}  // namespace hocket
