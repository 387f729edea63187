// Calls of a model's members that may fail: by an exception, by abort(), which a failed assert() calls, by a
// crash, by exit(), or because they do not return.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "../../scheduler/process/count_of_calls.hpp"

namespace hocket::model {

namespace detail {

/// A thread whose calls are watched, in static storage: the watching thread may look at it when the thread is
/// gone.
struct WatchedThread {
  std::atomic<pid_t> thread = 0;  ///< of the system; 0: none
  CountOfCalls own_count{};
  std::atomic<CountOfCalls*> count = nullptr;  ///< of its calls: that, or one that others see, too
  std::atomic<std::uint64_t> meant = 0;        ///< the number of the call that is to be left

  std::atomic<bool> waits = false;  ///< in a call of the system

  // What follows is of the watching thread.
  std::uint64_t calls_before = 0;
  std::chrono::nanoseconds used_before{};
  std::chrono::nanoseconds time{};  ///< in the call
  std::chrono::nanoseconds late{};  ///< in the call, since a signal has asked the search to stop
};

/// What the current thread knows of its calls.
struct CallsOfThread {
  /// Where to continue if the call does not return, or nullptr if there is none.
  void** volatile after_end = nullptr;
  volatile int ended_by = 0;      ///< the signal
  CountOfCalls* count = nullptr;  ///< none: nobody watches
  WatchedThread* watched = nullptr;
  std::uint64_t first_tried = std::numeric_limits<std::uint64_t>::max();
  bool is_trial = false;       ///< this process is the child
  bool died_in_trial = false;  ///< the last call that was tried
};
inline constinit thread_local CallsOfThread calls_of_thread;

inline void leave_to(void** outer) {
  CallsOfThread& calls = calls_of_thread;
  calls.after_end = outer;
  if (calls.count != nullptr && outer == nullptr) calls.count->end();
}

class AfterEnd {
 public:
  explicit AfterEnd(void** place) : before_(calls_of_thread.after_end) {
    CallsOfThread& calls = calls_of_thread;
    if (calls.count != nullptr) calls.count->begin();
    calls.after_end = place;
  }
  ~AfterEnd() { leave_to(before_); }
  AfterEnd(const AfterEnd&) = delete;
  AfterEnd& operator=(const AfterEnd&) = delete;

 private:
  void** before_;
};

/// Called in a catch clause: what was thrown, as text.
std::string thrown_text();
/// How the signal has ended the call, as text.
std::string text_of_end(int signal);

/// Whether the next call may end its process, so that a child process has to make it first.
inline bool is_next_tried() {
  const CallsOfThread& calls = calls_of_thread;
  return calls.count != nullptr && calls.count->number() + 1 >= calls.first_tried;
}
/// Forks a child, which returns false to make the call and then end_trial(). Returns true in the parent, with
/// a text, if the child has come to another end.
bool dies_in_trial(std::string* text);
[[noreturn]] void leave_trial(std::string_view how);
/// How the call of the child has ended; empty: it has returned or thrown.
inline void end_trial(std::string_view how) {
  if (calls_of_thread.is_trial) [[unlikely]]
    leave_trial(how);
}

}  // namespace detail

/// While there is one, an abort(), an exit() or a crash in calls_model() is a failure of the model, and so is
/// a call that uses the processor, or waits in a call of the system, for `limit` (0: for ever).
class CallGuard {
 public:
  explicit CallGuard(std::chrono::nanoseconds limit);
  ~CallGuard();
  CallGuard(const CallGuard&) = delete;
  CallGuard& operator=(const CallGuard&) = delete;

  static std::chrono::nanoseconds limit();
  /// In a child process, which has no other thread.
  static void guard_this_process();

 private:
  static constexpr std::array kSignals{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGURG};

  std::array<struct sigaction, kSignals.size()> previous_{};
  bool is_watching_ = false;
};

/// The calls that the current thread makes, while there is one, are watched by the CallGuard, and its stack
/// may overflow in them.
class WatchedCalls {
 public:
  /// Counts them there, if that is not null.
  explicit WatchedCalls(CountOfCalls* count = nullptr);
  ~WatchedCalls();
  WatchedCalls(const WatchedCalls&) = delete;
  WatchedCalls& operator=(const WatchedCalls&) = delete;

 private:
  detail::WatchedThread* watched_ = nullptr;  ///< none if this thread has one already
  std::vector<std::byte> stack_{};            ///< for handlers of signals
};

/// Calls `member`, which calls a member of the model. Returns whether it did not fail. Otherwise it stores in
/// `*text`, if there is one, how it failed. What a call that does not return leaves on the stack is not
/// destroyed.
template <typename Member>
[[gnu::noinline]] bool calls_model(Member member, std::string* text = nullptr) {
  if (detail::is_next_tried()) [[unlikely]] {
    if (detail::dies_in_trial(text)) return false;
  }
  std::array<void*, 5> place{};
  void** const outer = detail::calls_of_thread.after_end;
  if (__builtin_setjmp(place.data()) != 0) {
    detail::leave_to(outer);
    const std::string how = detail::text_of_end(detail::calls_of_thread.ended_by);
    detail::end_trial(how);
    if (text != nullptr) *text = how;
    return false;
  }
  const detail::AfterEnd after_end(place.data());
  try {
    member();
    detail::end_trial({});
    return true;
  } catch (const std::bad_alloc&) {
    detail::end_trial({});
    throw;  // the search needs most of the memory
  } catch (...) {
    detail::end_trial({});
    if (text != nullptr) *text = detail::thrown_text();
    return false;
  }
}

}  // namespace hocket::model
