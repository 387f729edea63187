#include "last_execution.hpp"

#include <csignal>

#include "../../runtime/terms/utf8.hpp"
#include "../process/output_gate.hpp"
#include "../schedules/file_steps.hpp"
#include "../schedules/schedule_file.hpp"
#include "unsaved_schedule.hpp"

namespace hocket {

namespace {

using runtime::platform::Ending;

std::string message_of(const Ending& ending) {
  if (ending.reached_limit_of_time)
    return "the process got SIGKILL, as it has used all the time of a processor that it was allowed (ulimit "
           "-t)";
  if (ending.lost_main_thread)
    return "the process got SIGKILL, as the system had ended its main thread alone (which seccomp may do)";
  if (ending.signal == SIGKILL) return "the process got SIGKILL, as the system sends it when memory runs out";
  if (ending.signal != 0) return "the process got " + runtime::platform::signal_name(ending.signal);
  return "the body ended the process with status " + std::to_string(ending.status) +
         ", or had another program take its place";
}

}  // namespace

void LastExecution::end_with(const Ending& ending) {
  schedule.kind = ending.signal != 0 ? runtime::FailureKind::signal : runtime::FailureKind::exit;
  schedule.signal = ending.signal;
  schedule.message = message_of(ending);
  schedule.complete = false;
}

std::string LastExecution::tell(const ReplayCommand& again) const {
  const file_steps::TooLargeIsAnError guard;
  std::string text = schedule.message + ", in an execution of " + schedule.test;
  std::string file = known_file;
  std::string command;
  if (!known_file.empty()) {
    text += ": the failure that is saved in " + known_file + " came again";
  } else if (!folder.empty()) {
    try {
      file = save_new(schedule, folder).string();
      text += "; its schedule is saved in " + file;
      command = "replay it with: " + again.with(quoted_for_shell(file)) + "\n";
    } catch (const ScheduleError& error) {
      print_unsaved(schedule, error.what());
    }
  }
  text = "\nhocket: " + utf8::printable(text) + "\n" + command;
  static_cast<void>(file_steps::put(OutputGate::real_stderr(), text.data(), text.size()));
  return file;
}

}  // namespace hocket
