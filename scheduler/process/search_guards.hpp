// Guards for what a search takes over in the process and gives back at its end.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/os_thread.hpp"

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

/// Makes a search the owner of the process's execution: there is one search at a time, on one OS thread.
class SearchGuard {
 public:
  SearchGuard() {
    std::uintptr_t nobody = 0;
    std::atomic_ref searching(runtime::searching_os_thread);
    if (!searching.compare_exchange_strong(nobody, runtime::platform::os_thread_id())) {
      throw std::logic_error(
          "hocket: explore() was called while another search runs in this process; run one after the other");
    }
    runtime::execution.forget_outside_objects();
    runtime::execution.forget_weaker_orders();
    previous_terminate_ = std::set_terminate([] {
      if (runtime::is_controlled()) runtime::execution.terminated();
      std::abort();
    });
  }
  ~SearchGuard() {
    std::set_terminate(previous_terminate_);
    runtime::execution.forget_outside_objects();
    std::atomic_ref(runtime::searching_os_thread).store(0);
  }
  SearchGuard(const SearchGuard&) = delete;
  SearchGuard& operator=(const SearchGuard&) = delete;

 private:
  std::terminate_handler previous_terminate_;
};

}  // namespace hocket
