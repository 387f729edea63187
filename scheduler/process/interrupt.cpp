#include "interrupt.hpp"

#include <cstddef>

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

bool is_interruption(std::string_view stopped_by) {
  return stopped_by == kOfTerminal || stopped_by == kTerminate || stopped_by == kHangUp;
}

InterruptGuard::InterruptGuard() {
  interrupted = &signal_;
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
  if (signal_ != 0) past_signal = signal_;
  interrupted = nullptr;
  for (std::size_t n = 0; n < kSignals.size(); ++n) sigaction(kSignals[n], &previous_[n], nullptr);
}

void InterruptGuard::note(int signal, siginfo_t* info, void* context) {
  for (const int each : kSignals) {
    struct sigaction action {};
    sigaction(each, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action.sa_handler = SIG_DFL;
    action.sa_flags = 0;
    sigaction(each, &action, nullptr);
  }
  // A body that sends its own process one of the others wants to end it. It comes again when this returns.
  const bool is_from_body = info->si_code <= 0 && info->si_pid == getpid();
  if (signal != SIGINT && is_from_body) {
    kill(getpid(), signal);
    return;
  }
  *interrupted = signal;
  runtime::execution.verdict.interrupt();
  runtime::platform::Ticker::hasten(std::chrono::milliseconds(100));
  runtime::platform::restart_interrupted_call(context);
}

}  // namespace hocket
