#include "call_trial.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../runtime/platform/ending.hpp"
#include "../../runtime/platform/system_call.hpp"
#include "../../scheduler/process/last_words.hpp"
#include "../../scheduler/process/waiting_call.hpp"
#include "../../scheduler/search/supervisor.hpp"
#include "model_calls.hpp"
#include "supervised_check.hpp"

namespace hocket::model {

namespace {

using detail::calls_of_thread;

/// What a child process tells its parent.
struct Outcome {
  bool has_come_back;     ///< the call has returned, thrown or crashed
  BoundedText<1024> how;  ///< it has crashed; or empty
};
Outcome* outcome = nullptr;  ///< in memory that both share

SuspectedCall suspect;

/// Ends the process as it ended before, and not by the call.
void end_as_before() {
  std::fprintf(stderr,
      "hocket: the process got %s when it checked the model before, and the call that it was in returned "
      "this "
      "time, so somebody else has sent the signal\n",
      runtime::platform::signal_name(suspect.signal).c_str());
  std::fflush(nullptr);
  SupervisedCheck::tell_of_end();
  std::signal(suspect.signal, SIG_DFL);
  std::raise(suspect.signal);
}

/// Waits for the end of the child. Returns nothing if it has come to none in the time that a call has.
std::optional<int> await(pid_t child) {
  using namespace std::chrono_literals;
  const std::chrono::nanoseconds limit = CallGuard::limit();
  const auto begin = std::chrono::steady_clock::now();
  std::chrono::nanoseconds pause = 20us;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (limit.count() != 0 && std::chrono::steady_clock::now() - begin > limit) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::nanoseconds>(pause * 2, 10ms);
  }
  return status;
}

std::string text_of(int status) {
  runtime::platform::Ending ending;
  if (WIFSIGNALED(status)) {
    ending.signal = WTERMSIG(status);
  } else {
    ending.status = WEXITSTATUS(status);
  }
  return "its process " + to_text(ending);
}

}  // namespace

void try_calls(const SuspectedCall& from) {
  if (outcome == nullptr) {
    void* const room =
        mmap(nullptr, sizeof(Outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return;
    outcome = static_cast<Outcome*>(room);
  }
  suspect = from;
  calls_of_thread.first_tried = from.number;
}

void try_all_calls() {
  if (!is_process_traced()) try_calls({});
}

namespace detail {

bool dies_in_trial(std::string* text) {
  *outcome = {};
  std::fflush(nullptr);  // the child would print it, too
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    static CountOfCalls own;
    calls_of_thread.count = &own;
    calls_of_thread.is_trial = true;
    CallGuard::guard_this_process();
    return false;
  }
  const std::optional<int> status = await(child);
  calls_of_thread.died_in_trial = !outcome->has_come_back || !outcome->how.view().empty();
  if (!calls_of_thread.died_in_trial) {
    const bool is_suspect = calls_of_thread.count->number() + 1 == suspect.number;
    if (is_suspect && may_be_from_elsewhere(suspect.signal)) end_as_before();
    return false;
  }
  calls_of_thread.count->begin();
  calls_of_thread.count->end();
  if (text == nullptr) return true;
  if (!status) {
    *text = text_of_end(SIGURG);
  } else {
    *text = outcome->has_come_back ? std::string(outcome->how.view()) : text_of(*status);
  }
  return true;
}

void leave_trial(std::string_view how) {
  outcome->how.add(how);
  outcome->has_come_back = true;
  for (;;) runtime::platform::system_call(SYS_exit_group, 0);
}

}  // namespace detail

}  // namespace hocket::model
