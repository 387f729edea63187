#include "last_execution.hpp"

#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "../../runtime/platform/symbols/stack_lines.hpp"
#include "../../runtime/terms/retry_loops.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../api/number_text.hpp"
#include "../process/output_gate.hpp"
#include "../replays/replay.hpp"
#include "../schedules/file_steps.hpp"
#include "../schedules/schedule_file.hpp"
#include "../schedules/whole_file.hpp"

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

/// What is known of a kind of death before it comes.
struct KindOfDeath {
  runtime::FailureKind kind;
  int signal;
};

KindOfDeath kind_of(Death death) {
  using runtime::FailureKind;
  constexpr std::array kSignals{SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};
  switch (death) {
    case Death::stack_overflow:
      return {FailureKind::stack_overflow, SIGSEGV};
    case Death::exit:
    case Death::fork:
      return {FailureKind::exit, 0};
    case Death::stuck:
      return {FailureKind::stuck, 0};
    default:
      return {FailureKind::signal, kSignals[static_cast<std::size_t>(death) % kSignals.size()]};
  }
}

std::string message_of(const LastWords& words, const Schedule& schedule) {
  switch (words.death) {
    case Death::stack_overflow:
      return "stack overflow: a logical thread used more than its " +
             std::to_string(schedule.stack_size / 1024) + " KiB";
    case Death::exit:
      return "the body ended the process: it called exit(), quick_exit() or _exit()";
    case Death::fork:
      return "the body called fork(), which would copy the search in the middle";
    case Death::stuck: {
      const std::string_view call = words.call.view();
      return "a thread has run for " + duration_text(static_cast<double>(words.watchdog_ns) / 1e9) +
             " without reaching an operation" + (call.empty() ? "" : ": it waits in " + std::string(call));
    }
    default:
      return "the process got " + runtime::platform::signal_name(schedule.signal);
  }
}

/// Whether both are the same end after the same number of choices.
bool is_same_end(const Schedule& one, const Schedule& other) {
  return one.kind == other.kind && one.signal == other.signal && one.choices.size() == other.choices.size();
}

/// The file that has this schedule from an earlier search, or an empty name.
std::string file_with(const Schedule& schedule, const std::string& folder) {
  for (const std::filesystem::path& file : saved_schedules(folder, schedule.test)) {
    try {
      const Schedule saved = read_schedule(file);
      const bool is_it = saved.test == schedule.test && is_same_end(saved, schedule);
      if (is_it && codes_of(saved) == codes_of(schedule)) return file;
    } catch (const ScheduleError&) {
      continue;  // the search warns of it
    }
  }
  return {};
}

}  // namespace

void LastExecution::end_with(const Ending& ending) {
  schedule.kind = ending.signal != 0 ? runtime::FailureKind::signal : runtime::FailureKind::exit;
  schedule.signal = ending.signal;
  schedule.message = message_of(ending);
  schedule.complete = false;
  what = schedule.message + ", in an execution of " + schedule.test;
}

void LastExecution::end_with(const LastWords& words) {
  const KindOfDeath kind = kind_of(words.death);
  schedule.kind = kind.kind;
  schedule.signal = kind.signal;
  schedule.message = message_of(words, schedule);
  what = words.what.view();
  stack = words.stack.view();
  preemptions = words.preemptions;
}

void LastExecution::add_choice(runtime::Code code, bool gives_way, bool is_value) {
  runtime::RecordedChoice& choice = schedule.choices.emplace_back();
  choice.code = code;
  choice.is_value = is_value;
  if (gives_way) choice.part_of = runtime::kGivesWay;
}

void LastExecution::look_for_known_file(std::string_view expected) {
  known_file = expected;
  if (known_file.empty() && !folder.empty() && knows_choices) known_file = file_with(schedule, folder);
}

std::string LastExecution::tell(const ReplayCommand& again) const {
  const file_steps::TooLargeIsAnError guard;
  std::string text = what;
  std::string file = known_file;
  std::string command;
  if (known_file == kStandardInput) {
    text += ": the failure that came through standard input came again";
  } else if (!known_file.empty()) {
    text += ": the failure that is saved in " + known_file + " came again";
  } else if (!knows_choices) {
    text += ", before its first step";
  } else if (!folder.empty()) {
    try {
      file = save_new(schedule, folder).string();
      text += "; its schedule is saved in " + file;
      command = "replay it with: " + again.with(quoted_for_shell(file)) + "\n";
    } catch (const ScheduleError& error) {
      text += "; its schedule could not be saved";
      print_unsaved(schedule, error.what());
    }
  }
  text = "\nhocket: " + utf8::printable(text) + "\n" + command;
  const int screen = OutputGate::real_stderr();
  static_cast<void>(file_steps::put(screen, text.data(), text.size()));
  runtime::platform::put_stack_lines(screen, stack);
  return file;
}

fresh_start::Ending LastExecution::ending(
    const std::string& saved_as, const Coverage& before, double seconds) const {
  fresh_start::Ending ending;
  const bool has_words = preemptions.has_value();
  ending.what = has_words ? what : schedule.message;
  ending.stack = stack;
  ending.schedule_file = saved_as;
  ending.was_saved = !known_file.empty();
  ending.coverage = before;
  ending.seconds = seconds;
  return ending;
}

void print_unsaved(const Schedule& schedule, std::string_view why) {
  const std::string text =
      "\nhocket: " + std::string(why) + std::string(kBeforePrintedSchedule) + essential_line(schedule) + "\n";
  static_cast<void>(file_steps::put(OutputGate::real_stderr(), text.data(), text.size()));
}

}  // namespace hocket
