// hocket::condition_variable and condition_variable_any: the standard's condition variables under control.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <type_traits>

#include "../../runtime/diagnosis/misuse.hpp"
#include "../../runtime/terms/where.hpp"
#include "mutex.hpp"

namespace hocket {

using std::cv_status;

class condition_variable_any {
  using Where = runtime::Where;

 public:
  // NOLINTNEXTLINE(google-explicit-constructor): as in the standard, so that {} makes one
  condition_variable_any(Where where = Where::current()) : condition_variable_any(false, where) {}
  condition_variable_any(const condition_variable_any&) = delete;
  condition_variable_any& operator=(const condition_variable_any&) = delete;
  ~condition_variable_any() { runtime::step::destroy(model_, Where{}); }

  void notify_one(Where where = Where::current()) { notify(false, where); }
  void notify_all(Where where = Where::current()) { notify(true, where); }

  template <class Lock>
  void wait(Lock& lock, Where where = Where::current()) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      real_.wait(lock);
      return;
    }
    wait_controlled(lock, runtime::kForever, where);
  }
  template <class Lock, class Predicate>
  requires std::predicate<Predicate&>
  void wait(Lock& lock, Predicate predicate, Where where = Where::current()) {
    while (!predicate()) wait(lock, where);
  }

  template <class Lock, class Rep, class Period>
  cv_status wait_for(
      Lock& lock, const std::chrono::duration<Rep, Period>& duration, Where where = Where::current()) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      return real_.wait_for(lock, duration);
    }
    return wait_controlled(lock, detail::nanoseconds(duration), where);
  }
  template <class Lock, class Rep, class Period, class Predicate>
  requires std::predicate<Predicate&>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& duration, Predicate predicate,
      Where where = Where::current()) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      return real_.wait_for(lock, duration, std::move(predicate));
    }
    const std::int64_t deadline = runtime::run.current->seen_clock + detail::nanoseconds(duration);
    while (!predicate()) {
      const std::int64_t left = std::max<std::int64_t>(0, deadline - runtime::run.current->seen_clock);
      if (wait_controlled(lock, left, where) == cv_status::timeout) return predicate();
    }
    return true;
  }

  template <class Lock, class Clock, class Duration>
  cv_status wait_until(
      Lock& lock, const std::chrono::time_point<Clock, Duration>& time, Where where = Where::current()) {
    return wait_for(lock, detail::until(time), where);
  }
  template <class Lock, class Clock, class Duration, class Predicate>
  requires std::predicate<Predicate&>
  bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time, Predicate predicate,
      Where where = Where::current()) {
    return wait_for(lock, detail::until(time), std::move(predicate), where);
  }

  /// For hocket::name.
  [[nodiscard]] const runtime::Object& hocket_object() const { return model_; }

 protected:
  condition_variable_any(bool one_mutex, Where where) : model_(one_mutex, where) {}

 private:
  /// The model of the recursive mutex that `lock` is or refers to, or nullptr if it is not a recursive mutex.
  template <class Lock>
  static runtime::Mutex* recursive_mutex_of(Lock& lock) {
    if constexpr (requires { lock.mutex()->hocket_mutex(); }) {
      return lock.mutex() != nullptr ? recursive_mutex_of(*lock.mutex()) : nullptr;
    } else if constexpr (requires { lock.hocket_mutex(); }) {
      return lock.hocket_mutex().state.recursive ? &lock.hocket_mutex() : nullptr;
    } else {
      return nullptr;
    }
  }

  template <class Lock>
  cv_status wait_controlled(Lock& lock, std::int64_t nanoseconds, Where where) {
    bool expired = false;
    if constexpr (std::is_same_v<Lock, std::unique_lock<mutex>> ||
                  std::is_same_v<Lock, std::unique_lock<timed_mutex>>) {
      if (lock.mutex() == nullptr) {
        runtime::step::fail(runtime::FailureKind::misuse,
            runtime::describe(*runtime::run.current) + " waits on " + runtime::describe(model_) +
                " with a lock that has no mutex",
            where);
        return cv_status::no_timeout;
      }
      static_cast<void>(runtime::step::condition_wait(
          model_, &lock.mutex()->hocket_mutex(), nanoseconds, expired, nullptr, where));
    } else {
      runtime::Mutex* const recursive = recursive_mutex_of(lock);
      if (recursive != nullptr && !runtime::run.ending &&
          runtime::step::touch(*recursive, runtime::Operation::condition_wait, where) &&
          recursive->state.depth > 1 && recursive->state.owner == runtime::run.current->index) {
        runtime::misuse::waits_holding_twice(model_, *recursive, recursive->state.depth, where);
        return cv_status::no_timeout;
      }
      const std::function<void()> unlock = [&lock] { lock.unlock(); };
      static_cast<void>(runtime::step::condition_wait(model_, nullptr, nanoseconds, expired, &unlock, where));
      lock.lock();
    }
    if (runtime::run.recording) runtime::recording::note_value(expired ? "expired" : "woken");
    return expired ? cv_status::timeout : cv_status::no_timeout;
  }

  void notify(bool all, Where where) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      all ? real_.notify_all() : real_.notify_one();
      return;
    }
    runtime::step::condition_notify(model_, all, where);
  }

  runtime::ConditionVariable model_;
  std::condition_variable_any real_;
};

class condition_variable : private condition_variable_any {
  using Lock = std::unique_lock<mutex>;
  using Where = runtime::Where;
  using Base = condition_variable_any;

 public:
  // NOLINTNEXTLINE(google-explicit-constructor): as in the standard, so that {} makes one
  condition_variable(Where where = Where::current()) : condition_variable_any(true, where) {}

  using Base::hocket_object;
  using Base::notify_all;
  using Base::notify_one;

  void wait(Lock& lock, Where where = Where::current()) { Base::wait(lock, where); }
  template <class Predicate>
  requires std::predicate<Predicate&>
  void wait(Lock& lock, Predicate predicate, Where where = Where::current()) {
    Base::wait(lock, std::move(predicate), where);
  }
  template <class Rep, class Period>
  cv_status wait_for(
      Lock& lock, const std::chrono::duration<Rep, Period>& duration, Where where = Where::current()) {
    return Base::wait_for(lock, duration, where);
  }
  template <class Rep, class Period, class Predicate>
  requires std::predicate<Predicate&>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& duration, Predicate predicate,
      Where where = Where::current()) {
    return Base::wait_for(lock, duration, std::move(predicate), where);
  }
  template <class Clock, class Duration>
  cv_status wait_until(
      Lock& lock, const std::chrono::time_point<Clock, Duration>& time, Where where = Where::current()) {
    return Base::wait_until(lock, time, where);
  }
  template <class Clock, class Duration, class Predicate>
  requires std::predicate<Predicate&>
  bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time, Predicate predicate,
      Where where = Where::current()) {
    return Base::wait_until(lock, time, std::move(predicate), where);
  }
};

}  // namespace hocket
