#include "call_trial.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
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
#include "../../scheduler/deaths/supervisor.hpp"
#include "../../scheduler/process/interrupt.hpp"
#include "../../scheduler/process/last_words.hpp"
#include "../../scheduler/process/waiting_call.hpp"
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

/// How long a child process has used a processor, or waited in a call of the system: a machine that is busy
/// or stopped takes nothing from a call's time.
class TimeOfChild {
 public:
  explicit TimeOfChild(pid_t child) : stat_("/proc/" + std::to_string(child) + "/stat") {
    has_clock_ = clock_getcpuclockid(child, &clock_) == 0;
  }

  /// At most `pause` after the last call, unless this process did not run.
  std::chrono::nanoseconds after(std::chrono::nanoseconds pause) {
    if (waits()) waited_ += pause;
    timespec used{};
    if (has_clock_) clock_gettime(clock_, &used);
    return waited_ + std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
  }

 private:
  [[nodiscard]] bool waits() const {
    std::ifstream file(stat_);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::size_t name_end = text.rfind(") ");
    return name_end != std::string::npos && (text[name_end + 2] == 'S' || text[name_end + 2] == 'D');
  }

  std::string stat_;
  clockid_t clock_{};
  bool has_clock_ = false;
  std::chrono::nanoseconds waited_{};
};

/// Waits for the end of the child. Returns nothing if it has come to none in the time that a call has.
std::optional<int> await(pid_t child) {
  using namespace std::chrono_literals;
  const std::chrono::nanoseconds limit = CallGuard::limit();
  TimeOfChild time(child);
  std::chrono::nanoseconds late{};
  int status = 0;
  for (std::chrono::nanoseconds pause = 20us; waitpid(child, &status, WNOHANG) == 0;
       pause = std::min<std::chrono::nanoseconds>(pause * 2, 10ms)) {
    std::this_thread::sleep_for(pause);
    if (was_interrupted()) end_if_late(late += pause, STDERR_FILENO);
    if (limit.count() == 0 || time.after(pause) < limit) continue;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return std::nullopt;
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

TriedCalls::TriedCalls(bool are_tried) : first_before_(calls_of_thread.first_tried) {
  if (!are_tried || is_process_traced()) return;
  const SuspectedCall before = suspect;
  try_calls({});
  suspect = before;
}

TriedCalls::~TriedCalls() {
  calls_of_thread.first_tried = first_before_;
  calls_of_thread.died_in_trial = false;
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
    if (calls_of_thread.count->number() + 1 != suspect.number) return false;
    calls_of_thread.first_tried = std::numeric_limits<std::uint64_t>::max();
    if (may_be_from_elsewhere(suspect.signal)) SupervisedCheck::end_by(suspect.signal);
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
