// Calls of a model's members that may fail: by an exception, by abort(), which a failed assert() calls, by a
// crash, or because they do not return.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <new>
#include <string>

namespace hocket::model {

namespace detail {

/// A call of a model by this thread, and how many it has made.
struct CallOfThread {
  /// Where to continue if the call does not return, or nullptr if there is none.
  void** volatile after_end = nullptr;
  volatile int ended_by = 0;  ///< the signal
  std::atomic<std::uint32_t> calls = 0;
};
inline constinit thread_local CallOfThread call_of_thread;

class AfterEnd {
 public:
  explicit AfterEnd(void** place) : before_(call_of_thread.after_end) {
    call_of_thread.after_end = place;
    std::atomic<std::uint32_t>& calls = call_of_thread.calls;  // only this thread writes it
    calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  ~AfterEnd() { call_of_thread.after_end = before_; }
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

/// While there is one, an abort() or a crash in calls_model() is a failure of the model, and so is a call
/// that uses the processor, or waits in a call of the system, for `limit` (0: for ever).
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

/// The calls that the current thread makes, while there is one, are watched by the CallGuard.
class WatchedCalls {
 public:
  WatchedCalls();
  ~WatchedCalls();
  WatchedCalls(const WatchedCalls&) = delete;
  WatchedCalls& operator=(const WatchedCalls&) = delete;

 private:
  unsigned slot_;
};

/// Calls `member`, which calls a member of the model. Returns whether it did not fail. Otherwise it stores in
/// `*text`, if there is one, how it failed. What a call that does not return leaves on the stack is not
/// destroyed.
template <typename Member>
[[gnu::noinline]] bool calls_model(Member member, std::string* text = nullptr) {
  std::array<void*, 5> place{};
  const detail::AfterEnd after_end(place.data());
  if (__builtin_setjmp(place.data()) != 0) {
    if (text != nullptr) *text = detail::text_of_end(detail::call_of_thread.ended_by);
    return false;
  }
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
