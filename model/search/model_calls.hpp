// Calls of a model's members that may fail: by an exception, or by abort(), which a failed assert() calls.
#pragma once

#include <array>
#include <csignal>
#include <exception>
#include <new>
#include <string>

namespace hocket::model {

namespace detail {

/// Where abort() is to continue instead of ending the process, or nullptr. It is set while this thread calls
/// a model.
inline constinit thread_local void** after_abort = nullptr;

class AfterAbort {
 public:
  explicit AfterAbort(void** place) : before_(after_abort) { after_abort = place; }
  ~AfterAbort() { after_abort = before_; }
  AfterAbort(const AfterAbort&) = delete;
  AfterAbort& operator=(const AfterAbort&) = delete;

 private:
  void** before_;
};

/// Called in a catch clause: what was thrown, as text.
std::string thrown_text();
std::string abort_text();

}  // namespace detail

/// While there is one, an abort() in calls_model() is a failure of the model.
class AbortGuard {
 public:
  AbortGuard();
  ~AbortGuard();
  AbortGuard(const AbortGuard&) = delete;
  AbortGuard& operator=(const AbortGuard&) = delete;

 private:
  struct sigaction previous_ {};
};

/// Calls `member`, which calls a member of the model. Returns whether it did not fail. Otherwise it stores in
/// `*text`, if there is one, how it failed. What abort() leaves on the stack is not destroyed.
template <typename Member>
[[gnu::noinline]] bool calls_model(Member member, std::string* text = nullptr) {
  std::array<void*, 5> place{};
  const detail::AfterAbort after_abort(place.data());
  if (__builtin_setjmp(place.data()) != 0) {
    if (text != nullptr) *text = detail::abort_text();
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
