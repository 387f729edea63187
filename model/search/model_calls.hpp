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
#include <new>
#include <string>
#include <vector>

#include <sys/types.h>

namespace hocket::model {

namespace detail {

/// A thread whose calls are watched, in static storage: the watching thread may look at it when the thread is
/// gone.
struct WatchedThread {
  std::atomic<pid_t> thread = 0;  ///< of the system; 0: none
  std::atomic<std::uint32_t> calls = 0;
  std::atomic<bool> is_in_call = false;
  std::atomic<std::uint32_t> meant = 0;  ///< the number of the call that is to be left

  std::atomic<bool> waits = false;  ///< in a call of the system

  // What follows is of the watching thread.
  std::uint32_t calls_before = 0;
  std::chrono::nanoseconds used_before{};
  std::chrono::nanoseconds time{};  ///< in the call
  std::chrono::nanoseconds late{};  ///< in the call, since a signal has asked the search to stop
};

/// What the current thread knows of its calls.
struct CallsOfThread {
  /// Where to continue if the call does not return, or nullptr if there is none.
  void** volatile after_end = nullptr;
  volatile int ended_by = 0;  ///< the signal
  WatchedThread* watched = nullptr;
};
inline constinit thread_local CallsOfThread calls_of_thread;

inline void leave_to(void** outer) {
  CallsOfThread& calls = calls_of_thread;
  calls.after_end = outer;
  if (calls.watched != nullptr && outer == nullptr)
    calls.watched->is_in_call.store(false, std::memory_order_relaxed);
}

class AfterEnd {
 public:
  explicit AfterEnd(void** place) : before_(calls_of_thread.after_end) {
    CallsOfThread& calls = calls_of_thread;
    if (calls.watched != nullptr) {  // only this thread writes them
      std::atomic<std::uint32_t>& count = calls.watched->calls;
      count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      calls.watched->is_in_call.store(true, std::memory_order_relaxed);
    }
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

}  // namespace detail

/// While there is one, an abort(), an exit() or a crash in calls_model() is a failure of the model, and so is
/// a call that uses the processor, or waits in a call of the system, for `limit` (0: for ever).
class CallGuard {
 public:
  explicit CallGuard(std::chrono::nanoseconds limit);
  ~CallGuard();
  CallGuard(const CallGuard&) = delete;
  CallGuard& operator=(const CallGuard&) = delete;

 private:
  static constexpr std::array kSignals{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGURG};

  std::array<struct sigaction, kSignals.size()> previous_{};
  bool is_watching_ = false;
};

/// The calls that the current thread makes, while there is one, are watched by the CallGuard, and its stack
/// may overflow in them.
class WatchedCalls {
 public:
  WatchedCalls();
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
  std::array<void*, 5> place{};
  void** const outer = detail::calls_of_thread.after_end;
  if (__builtin_setjmp(place.data()) != 0) {
    detail::leave_to(outer);
    if (text != nullptr) *text = detail::text_of_end(detail::calls_of_thread.ended_by);
    return false;
  }
  const detail::AfterEnd after_end(place.data());
  try {
    member();
    return true;
  } catch (const std::bad_alloc&) {
    throw;  // the search needs most of the memory
  } catch (...) {
    if (text != nullptr) *text = detail::thrown_text();
    return false;
  }
}

}  // namespace hocket::model
