#include "interrupt.hpp"

#include <cstddef>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/interrupted_call.hpp"
#include "../../runtime/platform/system_call.hpp"
#include "../../runtime/platform/ticker.hpp"
#include "waiting_call.hpp"

namespace hocket {

namespace {

/// Points to where the current InterruptGuard records the signal. This is a pointer and not the number
/// itself, because a search and its child processes share one, on the search's stack.
volatile std::sig_atomic_t* interrupted = nullptr;

/// When it came, by the ticker's clock.
constinit std::chrono::nanoseconds first_came{};

/// What comes after it in this time is the same: timeout(1) sends its signal to the process and to its group,
/// and `hocket run` passes its own on.
constexpr std::chrono::milliseconds kOneSignal(100);

int past_signal = 0;

constexpr std::string_view kOfTerminal = "Ctrl-C";
constexpr std::string_view kTerminate = "SIGTERM";
constexpr std::string_view kHangUp = "SIGHUP";

std::string_view name_of(int signal) {
  return signal == SIGTERM ? kTerminate : signal == SIGHUP ? kHangUp : kOfTerminal;
}

}  // namespace

bool was_interrupted() {
  const volatile std::sig_atomic_t* const signal = interrupted;
  return signal != nullptr && *signal != 0;
}

// Without libc: see Ticker.
void end_if_late(std::chrono::nanoseconds time, int screen) {
  using runtime::platform::as_argument;
  using runtime::platform::system_call;
  constexpr std::chrono::milliseconds kMost(600);
  constexpr std::string_view kSentence =
      "\nhocket: what runs does not come to its next operation, so the signal ends the process at once; what "
      "was found so far is saved\n";
  const volatile std::sig_atomic_t* const noted = interrupted;
  if (time < kMost || noted == nullptr || is_process_traced()) return;
  system_call(SYS_write, screen, as_argument(kSentence.data()), static_cast<long>(kSentence.size()));
  const int signal = *noted;
  system_call(SYS_kill, system_call(SYS_getpid), signal);
  runtime::platform::Ticker::sleep(std::chrono::milliseconds(100));
  constexpr int kAsShellsDo = 128;
  system_call(SYS_exit_group, kAsShellsDo + signal);
}

std::string_view interrupted_by() {
  return name_of(*interrupted);
}

std::string_view past_interruption() {
  return past_signal == 0 ? std::string_view{} : name_of(past_signal);
}

void note_past_interruption(int signal) {
  past_signal = signal;
}

bool is_interruption(std::string_view stopped_by) {
  return stopped_by == kOfTerminal || stopped_by == kTerminate || stopped_by == kHangUp;
}

InterruptGuard::InterruptGuard() : outer_(std::exchange(interrupted, &signal_)) {
  for (std::size_t n = 0; n < kSignals.size(); ++n) {
    sigaction(kSignals[n], nullptr, &previous_[n]);
    if (previous_[n].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_sigaction = &note;
    action.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[n], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  if (signal_ != 0) {
    past_signal = signal_;
    const std::chrono::nanoseconds passed = runtime::platform::Ticker::now() - first_came;
    if (passed < kOneSignal) runtime::platform::Ticker::sleep(kOneSignal - passed);
  }
  for (std::size_t n = 0; n < kSignals.size(); ++n) sigaction(kSignals[n], &previous_[n], nullptr);
  interrupted = outer_;
}

void InterruptGuard::note(int signal, siginfo_t* info, void* context) {
  const std::chrono::nanoseconds now = runtime::platform::Ticker::now();
  // A body that sends its own process one of the others wants to end it.
  const bool is_from_body = signal != SIGINT && info->si_code <= 0 && info->si_pid == getpid();
  const bool is_second = *interrupted != 0 && now - first_came >= kOneSignal;
  if (is_from_body || is_second) {  // it comes again when this returns
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(signal, &usual, nullptr);
    kill(getpid(), signal);
    return;
  }
  if (*interrupted != 0) return;
  first_came = now;
  *interrupted = signal;
  runtime::execution.verdict.interrupt();
  runtime::platform::Ticker::hasten(std::chrono::milliseconds(100));
  runtime::platform::restart_interrupted_call(context);
}

}  // namespace hocket
