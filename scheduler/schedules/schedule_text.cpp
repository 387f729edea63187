#include "schedule_text.hpp"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "../api/number_text.hpp"
#include "schedule_lines.hpp"
#include "utf8.hpp"

namespace hocket {

namespace {

using runtime::FailureKind;
using runtime::Trace;

std::string table(const Schedule& schedule, std::vector<StepLine> lines, const RenderOptions& options) {
  std::vector<std::string> labels;
  for (const Trace::ThreadEntry& thread : schedule.threads) labels.push_back(utf8::printable(thread.label));
  return table_of_steps(std::move(labels), schedule.choices.size(), std::move(lines), options);
}

std::string count_of(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

// A summary of the choices that are not shown: "… 120 steps before, with 2 preemptions".
std::string left_out(const Schedule& schedule, std::size_t begin, std::size_t end, std::string_view where) {
  if (begin == end) return {};
  std::size_t preemptions = 0;
  for (std::size_t n = begin; n < end; ++n) preemptions += schedule.choices[n].price;
  std::string text = "… " + count_of(end - begin, "step") + " " + std::string(where);
  if (preemptions != 0) text += ", with " + count_of(preemptions, "preemption");
  return text + "\n";
}

// The schedule with repeated rounds folded: the steps that lead to the first round, this round once, and one
// more round at the end. Empty if nothing repeats, or if a round is too long to be shown twice.
std::string folded(const Schedule& schedule, const RenderOptions& options) {
  const std::size_t count = schedule.choices.size();
  const auto [length, rounds] = repetition_before(schedule, count);
  if (rounds == 0 || 2 * length > options.max_rows) return {};
  const std::size_t first_end = count - (rounds - 1) * length;
  const std::size_t begin = first_end - std::min(first_end, options.max_rows - length);
  std::vector<StepLine> lines = lines_of(schedule, begin, first_end);
  StepLine fold;
  fold.thread = lines.back().thread;
  fold.is_for_all = true;
  fold.head = "… the same " + (length == 1 ? "step" : count_of(length, "step")) + " " +
              number_text(rounds - 2) + " times more";
  lines.push_back(std::move(fold));
  std::vector<StepLine> last = lines_of(schedule, count - length, count);
  std::move(last.begin(), last.end(), std::back_inserter(lines));
  return left_out(schedule, 0, begin, "before") + table(schedule, std::move(lines), options);
}

std::string kind_text(const Schedule& schedule) {
  switch (schedule.kind) {
    case FailureKind::check:
      return "check failed";
    case FailureKind::assertion:
      return "assertion failed";
    case FailureKind::signal:
      return schedule.signal != 0 ? signal_name(schedule.signal) : "the process died";
    default:
      return std::string(runtime::to_string(schedule.kind));
  }
}

}  // namespace

std::string render(const Schedule& schedule, const RenderOptions& options) {
  const std::size_t count = schedule.choices.size();
  if (!schedule.complete && count == 0) return "Its schedule is not known.\n";
  if (!schedule.complete) {
    return "The process died before it could record what happened in the " + count_of(count, "choice") +
           " of this schedule; a replay will complete the file.\n";
  }
  if (count == 0) return "It fails before the first step.\n";

  // Show the last steps, or earlier ones if a thread ran on for long after the failure.
  std::size_t begin = 0;
  std::size_t end = count;
  if (options.max_rows != 0 && options.max_rows < count) {
    const std::size_t failing = failing_choice(schedule);
    if (failing + 1 == count) {
      if (std::string text = folded(schedule, options); !text.empty()) return text;
    }
    end = std::min(count, std::max(failing + 1 + options.max_rows / 2, options.max_rows));
    begin = end - options.max_rows;
  }
  return left_out(schedule, 0, begin, "before") + table(schedule, lines_of(schedule, begin, end), options) +
         left_out(schedule, end, count, "after");
}

std::string headline(const Schedule& schedule, bool color) {
  const std::string kind = kind_text(schedule);
  std::string text;
  if (schedule.message.empty()) {
    text = kind;
  } else if (schedule.message.starts_with(kind)) {  // "deadlock: no thread can continue"
    text = schedule.message;
  } else {
    text = kind + ": " + schedule.message;
  }
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = utf8::printable(std::string_view(text).substr(begin, end - begin));
    result += begin == 0 ? painted(line, Style::failure, color) : "\n  " + line;
    begin = end + 1;
  }
  if (!schedule.where.empty()) result += "\n  at " + utf8::printable(schedule.where);
  return result;
}

std::string signal_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGABRT:
      return "SIGABRT";
    case SIGFPE:
      return "SIGFPE";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    case SIGTRAP:
      return "SIGTRAP";
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGKILL:
      return "SIGKILL";
    default:
      return "signal " + std::to_string(signal);
  }
}

}  // namespace hocket
