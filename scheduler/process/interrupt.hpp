// Signals that ask a search to stop: Ctrl-C, SIGTERM and SIGHUP.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string_view>

namespace hocket {

/// Whether a signal has asked the current search to stop.
bool was_interrupted();

/// To be called by a Ticker's thread, which ticks more often once a signal has come, with the time for which
/// what runs has been at the same place since then, that in which it got no processor left out. If that is
/// long, the signal ends the process, as a second one would.
void end_if_late(std::chrono::nanoseconds time, int screen);

/// What has asked for it, as in Report::stopped_by.
std::string_view interrupted_by();

/// The signal that has asked for it; 0: none has.
int interrupting_signal();

/// What has asked an earlier search of this process to stop, or empty. From then on none is begun.
std::string_view past_interruption();
/// The signal has asked an earlier process to stop, in place of which this one goes on.
void note_past_interruption(int signal);

/// Whether Report::stopped_by says that a signal ended the search.
bool is_interruption(std::string_view stopped_by);

/// Whether the signal is one of those of an InterruptGuard.
bool asks_to_stop(int signal);

/// The first signal that has asked to stop.
struct Interruption {
  volatile std::sig_atomic_t signal = 0;
  std::atomic<std::chrono::nanoseconds> came{};  ///< by the ticker's clock; written before `signal`
};

/// The first of these signals ends the search with the report so far, at the next step of the execution that
/// runs, and the second one the process, whichever it is, unless it comes at once: that is the same. A signal
/// that was ignored stays ignored, as under nohup. A call of the system in which the body waits goes on after
/// the first.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

 private:
  static void note(int signal, siginfo_t* info, void* context);

  Interruption noted_;
  Interruption* const outer_;  ///< that of the guard before, as in a child process that searches
  std::array<struct sigaction, kSignals.size()> previous_{};
};

}  // namespace hocket
