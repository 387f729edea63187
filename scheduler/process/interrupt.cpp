#include "interrupt.hpp"

#include <algorithm>
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

/// Points to where the current InterruptGuard records the signal, on the search's stack, which a search and
/// its child processes share.
Interruption* interrupted = nullptr;

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
  return interrupted != nullptr && interrupted->signal != 0;
}

int interrupting_signal() {
  return was_interrupted() ? interrupted->signal : 0;
}

// Without libc: see Ticker.
void end_if_late(std::chrono::nanoseconds time, int screen) {
  using runtime::platform::as_argument;
  using runtime::platform::system_call;
  constexpr std::chrono::milliseconds kMost(600);
  constexpr std::string_view kSentence =
      "\nhocket: what runs does not come to its next operation, so the signal ends the process at once; what "
      "was found so far is saved\n";
  const Interruption* const noted = interrupted;
  if (time < kMost || noted == nullptr || is_process_traced()) return;
  system_call(SYS_write, screen, as_argument(kSentence.data()), static_cast<long>(kSentence.size()));
  const int signal = noted->signal;
  system_call(SYS_kill, system_call(SYS_getpid), signal);
  runtime::platform::Ticker::sleep(std::chrono::milliseconds(100));
  constexpr int kAsShellsDo = 128;
  system_call(SYS_exit_group, kAsShellsDo + signal);
}

std::string_view interrupted_by() {
  return name_of(interrupted->signal);
}

bool asks_to_stop(int signal) {
  return std::find(InterruptGuard::kSignals.begin(), InterruptGuard::kSignals.end(), signal) !=
         InterruptGuard::kSignals.end();
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

InterruptGuard::InterruptGuard() : outer_(std::exchange(interrupted, &noted_)) {
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
  if (noted_.signal != 0) {
    past_signal = noted_.signal;
    const std::chrono::nanoseconds passed = runtime::platform::Ticker::now() - noted_.came.load();
    if (passed < kOneSignal) runtime::platform::Ticker::sleep(kOneSignal - passed);
  }
  for (std::size_t n = 0; n < kSignals.size(); ++n) sigaction(kSignals[n], &previous_[n], nullptr);
  interrupted = outer_;
}

void InterruptGuard::note(int signal, siginfo_t* info, void* context) {
  const std::chrono::nanoseconds now = runtime::platform::Ticker::now();
  // A body that sends its own process one of the others wants to end it.
  const bool is_from_body = signal != SIGINT && info->si_code <= 0 && info->si_pid == getpid();
  Interruption& first = *interrupted;
  const bool is_second = first.signal != 0 && now - first.came.load() >= kOneSignal;
  if (is_from_body || is_second) {  // it comes again when this returns
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(signal, &usual, nullptr);
    kill(getpid(), signal);
    return;
  }
  if (first.signal != 0) return;
  first.came = now;
  first.signal = signal;
  runtime::execution.verdict.interrupt();
  runtime::platform::Ticker::hasten(std::chrono::milliseconds(100));
  runtime::platform::restart_interrupted_call(context);
}

}  // namespace hocket
