// hocket::thread and hocket::this_thread: std::thread under control.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <exception>
#include <functional>
#include <new>
#include <ostream>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../../runtime/execution/recording.hpp"
#include "../../runtime/execution/step.hpp"
#include "../../runtime/terms/where.hpp"
#include "clock.hpp"
#include "hot.hpp"

namespace hocket {

class thread {
  using Where = runtime::Where;

 public:
  /// Identifies a thread within one execution, or an OS thread outside any execution.
  class id {
   public:
    id() = default;
    friend bool operator==(const id&, const id&) = default;
    friend std::strong_ordering operator<=>(const id&, const id&) = default;
    friend std::ostream& operator<<(std::ostream& out, const id& id) {
      if (id.number_ != 0) return out << "thread " << id.number_ - 1;
      return out << id.outside_;
    }

   private:
    friend class thread;
    friend struct std::hash<id>;
    friend id this_thread_id();
    explicit id(unsigned number) : number_(number) {}
    explicit id(std::thread::id outside) : outside_(outside) {}
    unsigned number_ = 0;  ///< 1 + index of the logical thread, or 0
    std::thread::id outside_;
  };
  using native_handle_type = std::thread::native_handle_type;

  thread() noexcept = default;

  template <class Function>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): clang-tidy does not see what is required
  requires(!std::is_same_v<std::remove_cvref_t<Function>, thread>) explicit thread(
      Function&& function, Where where = Where::current()) {
    run(where, std::forward<Function>(function));
  }
  /// A constructor with arguments cannot also take the place of its call: the place is looked up on the stack
  /// when it is needed.
  template <class Function, class Argument, class... Arguments>
  explicit thread(Function&& function, Argument&& argument, Arguments&&... arguments) {
    run(Where{}, std::forward<Function>(function), std::forward<Argument>(argument),
        std::forward<Arguments>(arguments)...);
  }

  thread(const thread&) = delete;
  thread& operator=(const thread&) = delete;
  thread(thread&& other) noexcept
      : model_(std::exchange(other.model_, nullptr)),
        execution_(other.execution_),
        real_(std::move(other.real_)) {}
  // Unlike the standard's operator, this one is not noexcept: assigning to a joinable thread is a failure,
  // which unwinds the stack.
  thread& operator=(thread&& other) {  // NOLINT(performance-noexcept-move-constructor)
    end_of_handle([](auto&&... failure) { runtime::step::fail(failure...); });
    model_ = std::exchange(other.model_, nullptr);
    execution_ = other.execution_;
    real_ = std::move(other.real_);
    return *this;
  }
  ~thread() {
    end_of_handle([](auto&&... failure) { runtime::step::fail_in_destructor(failure...); });
  }

  void swap(thread& other) noexcept {
    std::swap(model_, other.model_);
    std::swap(execution_, other.execution_);
    real_.swap(other.real_);
  }
  friend void swap(thread& a, thread& b) noexcept { a.swap(b); }

  [[nodiscard]] bool joinable() const noexcept { return is_logical() || real_.joinable(); }

  HOCKET_HOT void join(Where where = Where::current()) {
    if (real_.joinable()) {
      real_.join();
      return;
    }
    if (!is_logical()) {
      if (runtime::is_controlled() && runtime::run.ending) return;
      throw std::system_error(std::make_error_code(std::errc::invalid_argument), "hocket::thread::join");
    }
    if (model_ == runtime::run.current) {
      throw std::system_error(
          std::make_error_code(std::errc::resource_deadlock_would_occur), "hocket::thread::join");
    }
    runtime::step::join(*model_, where);
    model_ = nullptr;
  }

  void detach(Where where = Where::current()) {
    if (real_.joinable()) {
      real_.detach();
      return;
    }
    if (!is_logical()) {
      if (runtime::is_controlled() && runtime::run.ending) return;
      throw std::system_error(std::make_error_code(std::errc::invalid_argument), "hocket::thread::detach");
    }
    runtime::step::detach(*model_, where);
    model_ = nullptr;
  }

  [[nodiscard]] id get_id() const noexcept {
    if (is_logical()) return id(model_->index + 1U);
    return id(real_.get_id());
  }
  native_handle_type native_handle() { return real_.native_handle(); }
  static unsigned hardware_concurrency() noexcept { return std::thread::hardware_concurrency(); }

  /// For hocket::name. Returns null if this handle has no logical thread.
  [[nodiscard]] const runtime::Thread* hocket_thread() const { return is_logical() ? model_ : nullptr; }

 private:
  // A handle that outlives the execution of its thread no longer has a logical thread.
  [[nodiscard]] bool is_logical() const {
    return model_ != nullptr && runtime::is_controlled() && runtime::run.is_current_execution(execution_);
  }

  template <class Function, class... Arguments>
  HOCKET_HOT void run(Where where, Function&& function, Arguments&&... arguments) {
    if (!runtime::is_controlled()) [[unlikely]] {
      real_ = std::thread(std::forward<Function>(function), std::forward<Arguments>(arguments)...);
      return;
    }
    using Call = std::tuple<std::decay_t<Function>, std::decay_t<Arguments>...>;
    start<Call>(where, Call(std::forward<Function>(function), std::forward<Arguments>(arguments)...));
  }

  template <class Call>
  HOCKET_HOT void start(Where where, Call&& call) {
    runtime::Thread* made = runtime::step::create_thread(where);
    if (made == nullptr) return;
    runtime::Task& task = made->task;
    if constexpr (sizeof(Call) <= runtime::Task::kInline && alignof(Call) <= alignof(std::max_align_t)) {
      ::new (static_cast<void*>(task.storage)) Call(std::forward<Call>(call));
      task.call = [](runtime::Task& t) {
        struct End {
          Call& call;
          ~End() { call.~Call(); }
        } end{*std::launder(reinterpret_cast<Call*>(t.storage))};
        invoke(end.call);
      };
    } else {
      task.heap = new Call(std::forward<Call>(call));
      task.call = [](runtime::Task& t) {
        const std::unique_ptr<Call> end(static_cast<Call*>(t.heap));
        invoke(*end);
      };
    }
    model_ = made;
    execution_ = runtime::run.life;
    runtime::step::start(*made);
  }

  template <class Call>
  static void invoke(Call& call) {
    std::apply(
        [](auto& function, auto&... arguments) { std::invoke(std::move(function), std::move(arguments)...); },
        call);
  }

  template <class Fail>
  void end_of_handle(Fail fail) {
    if (is_logical() && runtime::run.ending) {
      runtime::step::end_first(*model_);
    } else if (is_logical()) {
      runtime::Thread& orphan = *std::exchange(model_, nullptr);
      fail(runtime::FailureKind::joinable_destroyed,
          "the hocket::thread of " + runtime::describe(orphan) +
              " is destroyed or assigned to before join() or detach()" +
              (std::uncaught_exceptions() != 0
                      ? ", while an exception propagates: catch it earlier, or join in a destructor"
                      : ""),
          Where{});
    }
    model_ = nullptr;
  }

  runtime::Thread* model_ = nullptr;
  runtime::Life execution_{};
  std::thread real_;
};

inline thread::id this_thread_id() {
  if (runtime::is_controlled()) return thread::id(runtime::run.current->index + 1U);
  return thread::id(std::this_thread::get_id());
}

/// Makes a step after which a switch to any other thread costs nothing.
inline void yield(runtime::Where where = runtime::Where::current()) {
  if (!runtime::is_controlled()) {
    std::this_thread::yield();
    return;
  }
  static_cast<void>(runtime::step::yield(runtime::Operation::thread_yield, 0, where));
}

namespace this_thread {

inline thread::id get_id() {
  return this_thread_id();
}

inline void yield(runtime::Where where = runtime::Where::current()) {
  hocket::yield(where);
}

/// Yields. In a body, time passes only when no other thread can run.
template <class Rep, class Period>
void sleep_for(
    const std::chrono::duration<Rep, Period>& duration, runtime::Where where = runtime::Where::current()) {
  if (!runtime::is_controlled()) {
    std::this_thread::sleep_for(duration);
    return;
  }
  static_cast<void>(
      runtime::step::yield(runtime::Operation::thread_sleep, detail::nanoseconds(duration), where));
}
template <class Clock, class Duration>
void sleep_until(
    const std::chrono::time_point<Clock, Duration>& time, runtime::Where where = runtime::Where::current()) {
  sleep_for(detail::until(time), where);
}

}  // namespace this_thread

}  // namespace hocket

template <>
struct std::hash<hocket::thread::id> {
  std::size_t operator()(const hocket::thread::id& id) const noexcept {
    return std::hash<unsigned>()(id.number_) ^ std::hash<std::thread::id>()(id.outside_);
  }
};
