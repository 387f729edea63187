// Signals that ask a search to stop: Ctrl-C, SIGTERM and SIGHUP.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <unistd.h>
#include <csignal>

namespace hocket {

/// Points to where the current InterruptGuard records the signal that asks the search to stop; 0 before that.
/// This is a pointer and not the number itself, because a search and its child processes share one, on the
/// search's stack.
inline volatile std::sig_atomic_t* interrupted = nullptr;

/// Whether a signal has asked the search to stop since that guard was created. Only valid while a guard
/// exists.
inline bool was_interrupted() {
  return *interrupted != 0;
}

/// What has asked for it, as in Report::stopped_by.
inline std::string_view interrupted_by() {
  const int signal = *interrupted;
  return signal == SIGTERM ? "SIGTERM" : signal == SIGHUP ? "SIGHUP" : "Ctrl-C";
}

/// Whether Report::stopped_by says that a signal ended the search.
inline bool is_interruption(std::string_view stopped_by) {
  return stopped_by == "Ctrl-C" || stopped_by == "SIGTERM" || stopped_by == "SIGHUP";
}

/// The first of these signals ends the search with the report so far, and the second one the process. A
/// signal that was ignored stays ignored, as under nohup.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = &signal_;
    for (std::size_t n = 0; n < kSignals.size(); ++n) {
      sigaction(kSignals[n], nullptr, &previous_[n]);
      if (previous_[n].sa_handler == SIG_IGN) continue;
      struct sigaction action {};
      action.sa_sigaction = &note;
      action.sa_flags = static_cast<int>(SA_RESETHAND | SA_SIGINFO);
      sigemptyset(&action.sa_mask);
      sigaction(kSignals[n], &action, nullptr);
    }
  }
  ~InterruptGuard() {
    for (std::size_t n = 0; n < kSignals.size(); ++n) sigaction(kSignals[n], &previous_[n], nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

  static void note(int signal, siginfo_t* info, void* /*context*/) {
    // A body that sends its own process one of the others wants to end it. It comes again when this returns.
    const bool is_from_body = info->si_code <= 0 && info->si_pid == getpid();
    if (signal != SIGINT && is_from_body) {
      kill(getpid(), signal);
    } else {
      *interrupted = signal;
    }
  }

  volatile std::sig_atomic_t signal_ = 0;
  std::array<struct sigaction, kSignals.size()> previous_{};
};

}  // namespace hocket
