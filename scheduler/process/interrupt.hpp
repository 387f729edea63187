// Ctrl-C during a search.
#pragma once

#include <csignal>

namespace hocket {

/// Points to where the current InterruptGuard records that Ctrl-C was pressed. This is a pointer and not the
/// flag itself, because a search and its child processes share one flag, on the search's stack.
inline volatile std::sig_atomic_t* interrupted = nullptr;

/// Whether Ctrl-C was pressed since that guard was created. Only valid while a guard exists.
inline bool was_interrupted() {
  return *interrupted != 0;
}

/// Ctrl-C ends the search with the report so far; a second one ends the process.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = &is_interrupted_;
    struct sigaction action {};
    action.sa_handler = [](int) { *interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &previous_);
  }
  ~InterruptGuard() { sigaction(SIGINT, &previous_, nullptr); }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  volatile std::sig_atomic_t is_interrupted_ = 0;
  struct sigaction previous_ {};
};

}  // namespace hocket
