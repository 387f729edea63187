#include "child_processes.hpp"

#include <csignal>
#include <exception>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/threads/host.hpp"
#include "../deaths/dying_process.hpp"
#include "exit_guard.hpp"
#include "interrupt.hpp"
#include "output_gate.hpp"
#include "watchdog.hpp"

namespace hocket {

bool makes_children(const Options& options) {
  return options.restore == Restore::fork && options.replay.empty() && runtime::run.host != nullptr;
}

runtime::ExecutionResult run_in_child(const std::function<void()>& body, bool shows_output,
    runtime::Chooser& chooser, const runtime::ExecutionOptions& options) {
  const runtime::Host& host = *runtime::run.host;
  host.searches.begin_child(options);
  ExitGuard::guard_this_process();
  Watchdog::watch_child();
  runtime::ExecutionResult result;
  std::exception_ptr exception;
  try {
    result = runtime::execution.run_body(body, chooser, options);
    if (shows_output) flush_standard_streams();
  } catch (...) {
    exception = std::current_exception();
  }
  host.searches.end_child();
  ExitGuard::guard_this_process();
  if (exception != nullptr) std::rethrow_exception(exception);
  return result;
}

void end_as_child_did(const runtime::platform::Ending& ending) {
  // What the user has asked for is no failure.
  if (!was_interrupted() || !asks_to_stop(ending.signal)) DyingProcess::tell_of_child(ending);
  if (ending.signal != 0) {
    constexpr rlimit kNone{};  // only a core dump of the child is useful
    setrlimit(RLIMIT_CORE, &kNone);
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(ending.signal, &usual, nullptr);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, ending.signal);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    kill(getpid(), ending.signal);
  }
  constexpr int kAsShellsDo = 128;
  const int ended_with = ending.signal != 0 ? kAsShellsDo + ending.signal : ending.status;
  for (;;) syscall(SYS_exit_group, ended_with != 0 ? ended_with : 1);
}

}  // namespace hocket
