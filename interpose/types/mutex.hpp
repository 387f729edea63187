// hocket::mutex, recursive_mutex, shared_mutex and their timed forms: the standard's mutexes under control.
//
// Each class is a thin interface to a model (runtime/objects/objects.hpp). It also contains a real mutex,
// which code outside any body uses.
#pragma once

#include <chrono>
#include <mutex>
#include <shared_mutex>

#include "../../runtime/diagnosis/misuse.hpp"
#include "../../runtime/execution/locking.hpp"
#include "../../runtime/execution/step.hpp"
#include "../../runtime/terms/where.hpp"
#include "clock.hpp"
#include "hot.hpp"

namespace hocket {

using std::adopt_lock;
using std::adopt_lock_t;
using std::defer_lock;
using std::defer_lock_t;
using std::lock;
using std::lock_guard;
using std::scoped_lock;
using std::shared_lock;
using std::try_lock;
using std::try_to_lock;
using std::try_to_lock_t;
using std::unique_lock;

namespace detail {

/// The part that all exclusive mutexes share. `Real` is the standard type that is used outside a body.
template <class Real, bool recursive>
class MutexOperations {
  using Where = runtime::Where;
  using Operation = runtime::Operation;

 public:
  explicit MutexOperations(Where where) : model_(where, recursive) {}
  MutexOperations(const MutexOperations&) = delete;
  MutexOperations& operator=(const MutexOperations&) = delete;
  ~MutexOperations() { runtime::step::destroy(model_, Where{}); }

  HOCKET_HOT void lock(Where where = Where::current()) {
    if (!runtime::is_controlled()) [[unlikely]] {
      runtime::outside_operation();
      real_.lock();
      model_.state.lock(runtime::kOutside);
      return;
    }
    const bool is_held_by_caller = !recursive && model_.state.owner == runtime::run.current->index;
    if (is_held_by_caller && !runtime::run.ending &&
        runtime::step::touch(model_, Operation::mutex_lock, where)) {
      runtime::misuse::locked_twice(model_, where);
      return;
    }
    if (runtime::arrive_to_take(model_, Operation::mutex_lock, where))
      runtime::lock(model_, Operation::mutex_lock);
  }

  HOCKET_HOT bool try_lock(Where where = Where::current()) {
    if (!runtime::is_controlled()) [[unlikely]] {
      runtime::outside_operation();
      const bool locked = real_.try_lock();
      if (locked) model_.state.lock(runtime::kOutside);
      return locked;
    }
    if (!runtime::step::arrive(model_, Operation::mutex_try_lock, true, where)) return true;
    return runtime::take_or_fail(model_, Operation::mutex_try_lock);
  }

  HOCKET_HOT void unlock(Where where = Where::current()) {
    if (!runtime::is_controlled()) [[unlikely]] {
      runtime::outside_operation();
      model_.state.unlock();
      real_.unlock();
      return;
    }
    if (runtime::step::arrive(model_, Operation::mutex_unlock, true, where))
      static_cast<void>(runtime::unlock(model_, where));
  }

  /// The model, for condition_variable.
  [[nodiscard]] runtime::Mutex& hocket_mutex() { return model_; }
  /// For hocket::name.
  [[nodiscard]] const runtime::Object& hocket_object() const { return model_; }

 protected:
  template <class Duration>
  bool try_lock_within(const Duration& duration, Where where) {
    if (!runtime::is_controlled()) [[unlikely]] {
      runtime::outside_operation();
      const bool locked = real_.try_lock_for(duration);
      if (locked) model_.state.lock(runtime::kOutside);
      return locked;
    }
    const std::int64_t time = nanoseconds(duration);
    if (time == 0) return try_lock(where);
    if (!runtime::step::arrive_timed(model_, Operation::mutex_try_lock_for, time, where)) return true;
    return runtime::take_or_fail(model_, Operation::mutex_try_lock_for);
  }

 private:
  runtime::Mutex model_;
  Real real_;
};

/// A MutexOperations that also has the timed operations.
template <class Real, bool recursive>
class TimedMutexOperations : public MutexOperations<Real, recursive> {
  using Where = runtime::Where;

 public:
  using MutexOperations<Real, recursive>::MutexOperations;

  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration, Where where = Where::current()) {
    return this->try_lock_within(duration, where);
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time, Where where = Where::current()) {
    return this->try_lock_within(until(time), where);
  }
};

}  // namespace detail

class mutex : public detail::MutexOperations<std::mutex, false> {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): as in the standard, so that {} makes one
  mutex(runtime::Where where = runtime::Where::current()) : MutexOperations(where) {}
};

class recursive_mutex : public detail::MutexOperations<std::recursive_mutex, true> {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): as in the standard, so that {} makes one
  recursive_mutex(runtime::Where where = runtime::Where::current()) : MutexOperations(where) {}
};

class timed_mutex : public detail::TimedMutexOperations<std::timed_mutex, false> {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): as in the standard, so that {} makes one
  timed_mutex(runtime::Where where = runtime::Where::current()) : TimedMutexOperations(where) {}
};

class recursive_timed_mutex : public detail::TimedMutexOperations<std::recursive_timed_mutex, true> {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): as in the standard, so that {} makes one
  recursive_timed_mutex(runtime::Where where = runtime::Where::current()) : TimedMutexOperations(where) {}
};

class shared_mutex {
  using Where = runtime::Where;
  using Operation = runtime::Operation;

 public:
  // NOLINTNEXTLINE(google-explicit-constructor): as in the standard, so that {} makes one
  shared_mutex(Where where = Where::current()) : model_(where) {}
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;
  ~shared_mutex() { runtime::step::destroy(model_, Where{}); }

  void lock(Where where = Where::current()) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      real_.lock();
      model_.state.owner = runtime::kOutside;
      return;
    }
    if (is_held_by_caller(where)) return;
    if (runtime::arrive_to_take(model_, Operation::mutex_lock, where))
      runtime::lock(model_, Operation::mutex_lock);
  }
  bool try_lock(Where where = Where::current()) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      const bool locked = real_.try_lock();
      if (locked) model_.state.owner = runtime::kOutside;
      return locked;
    }
    if (!runtime::step::arrive(model_, Operation::mutex_try_lock, true, where)) return true;
    return runtime::take_or_fail(model_, Operation::mutex_try_lock);
  }
  void unlock(Where where = Where::current()) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      model_.state.owner = runtime::kNobody;
      real_.unlock();
      return;
    }
    if (runtime::step::arrive(model_, Operation::mutex_unlock, true, where))
      static_cast<void>(runtime::unlock(model_, where));
  }

  void lock_shared(Where where = Where::current()) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      real_.lock_shared();
      ++std::atomic_ref(model_.state.outside_readers);
      return;
    }
    if (is_held_by_caller(where)) return;
    if (runtime::arrive_to_take(model_, Operation::mutex_lock_shared, where))
      runtime::lock_shared(model_, Operation::mutex_lock_shared);
  }
  bool try_lock_shared(Where where = Where::current()) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      const bool locked = real_.try_lock_shared();
      if (locked) ++std::atomic_ref(model_.state.outside_readers);
      return locked;
    }
    if (!runtime::step::arrive(model_, Operation::mutex_try_lock_shared, true, where)) return true;
    return runtime::take_or_fail(model_, Operation::mutex_try_lock_shared);
  }
  void unlock_shared(Where where = Where::current()) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      --std::atomic_ref(model_.state.outside_readers);
      real_.unlock_shared();
      return;
    }
    if (runtime::step::arrive(model_, Operation::mutex_unlock_shared, true, where))
      static_cast<void>(runtime::unlock_shared(model_, where));
  }

  /// For hocket::name.
  [[nodiscard]] const runtime::Object& hocket_object() const { return model_; }

 protected:
  template <class Duration>
  bool try_lock_within(const Duration& duration, bool shared, Where where) {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      const bool locked = shared ? real_.try_lock_shared_for(duration) : real_.try_lock_for(duration);
      if (locked && shared) ++std::atomic_ref(model_.state.outside_readers);
      if (locked && !shared) model_.state.owner = runtime::kOutside;
      return locked;
    }
    const std::int64_t time = detail::nanoseconds(duration);
    if (time == 0) return shared ? try_lock_shared(where) : try_lock(where);
    const Operation operation = shared ? Operation::mutex_try_lock_shared_for : Operation::mutex_try_lock_for;
    if (!runtime::step::arrive_timed(model_, operation, time, where)) return true;
    return runtime::take_or_fail(model_, operation);
  }

 private:
  bool is_held_by_caller(Where where) {
    const unsigned self = runtime::run.current->index;
    if (model_.state.owner != self && !model_.state.readers.contains(self)) return false;
    if (runtime::run.ending || !runtime::step::touch(model_, Operation::mutex_lock, where)) return false;
    runtime::misuse::locked_twice(model_, where);
    return true;
  }

  runtime::SharedMutex model_;
  std::shared_timed_mutex real_;
};

class shared_timed_mutex : public shared_mutex {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): as in the standard, so that {} makes one
  shared_timed_mutex(runtime::Where where = runtime::Where::current()) : shared_mutex(where) {}

  template <class Rep, class Period>
  bool try_lock_for(
      const std::chrono::duration<Rep, Period>& duration, runtime::Where where = runtime::Where::current()) {
    return try_lock_within(duration, false, where);
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time,
      runtime::Where where = runtime::Where::current()) {
    return try_lock_within(detail::until(time), false, where);
  }
  template <class Rep, class Period>
  bool try_lock_shared_for(
      const std::chrono::duration<Rep, Period>& duration, runtime::Where where = runtime::Where::current()) {
    return try_lock_within(duration, true, where);
  }
  template <class Clock, class Duration>
  bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& time,
      runtime::Where where = runtime::Where::current()) {
    return try_lock_within(detail::until(time), true, where);
  }
};

}  // namespace hocket
