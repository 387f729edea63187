// The report of a search through a model as text.
#include <ostream>
#include <string>
#include <string_view>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/terms/utf8.hpp"
#include "../../scheduler/api/number_text.hpp"
#include "../../scheduler/options/replay_command.hpp"
#include "../../scheduler/schedules/schedule_text.hpp"
#include "../api/report.hpp"
#include "path_schedule.hpp"

namespace hocket::model {

namespace {

constexpr std::size_t kMostSteps = 60;

/// "88 573 states, 590 490 transitions, depth 30, in 49 ms"
std::string effort(const Report& report) {
  std::string text = count_text(report.states, "state");
  if (report.visits > report.states)
    text += fmt::format(" ({} revisits)", number_text(report.visits - report.states));
  text += fmt::format(", {}, depth {}, ", count_text(report.transitions, "transition"), report.depth);
  if (report.product_states != 0) text += number_text(report.product_states) + " with the automaton, ";
  if (report.walks != 0) text += count_text(report.walks, "walk") + ", ";
  return text + "in " + duration_text(report.seconds);
}

std::string verdict_line(const Report& report) {
  std::string name = report.model + ": ";
  if (report.is_replay) {
    switch (report.verdict) {
      case Verdict::failed:
        return name + "replayed, and it failed again";
      case Verdict::nondeterministic:
        return name + "the replay diverged: " + report.explanation;
      default:
        return name + "replayed, and it does not fail any more";
    }
  }
  switch (report.verdict) {
    case Verdict::failed:
      return name + "FAILED: " + effort(report);
    case Verdict::passed_within_bound:
      if (report.bounds.empty()) return name + "passed every state within the depth: " + effort(report);
      name += "passed every state within " + count_text(report.bounds.size() - 1, "preemption");
      if (report.complete_depth != 0) name += fmt::format(" and depth {}", report.complete_depth);
      return name + ": " + effort(report);
    case Verdict::passed_exhaustively:
      return name + "passed every state there is: " + effort(report);
    case Verdict::passed_shard:  // which no search of a model has
    case Verdict::passed_sample:
      return name + "passed a sample of states (" + report.strategy + "): " + effort(report);
    case Verdict::stopped:
      if (!report.explanation.empty()) return name + "not searched: " + report.explanation;
      name += "stopped by " + report.stopped_by + " before everything was covered";
      if (report.complete_depth != 0) name += fmt::format(", except within depth {}", report.complete_depth);
      return name + ": " + effort(report);
    case Verdict::nondeterministic:
      return name + "NONDETERMINISTIC: " + report.explanation + ". It had visited " + effort(report);
  }
  return name;
}

std::string table_of_bounds(const Report& report) {
  if (report.bounds.empty()) return {};
  std::string text = fmt::format("  {:>11} {:>13} {:>13}\n", "preemptions", "new states", "states");
  for (std::size_t bound = 0; bound < report.bounds.size(); ++bound) {
    text += fmt::format("  {:>11} {:>13} {:>13}{}\n", bound, number_text(report.bounds[bound].states),
        number_text(report.states_within(bound)), report.bounds[bound].complete ? "" : "   not all");
  }
  return text;
}

std::string how_found(const Report& report, const Violation& violation) {
  if (violation.from_saved) return "This saved failure still occurs.\n";
  std::string text = "Found after " + count_text(violation.path.size(), "step");
  if (!report.bounds.empty()) text += " with " + count_text(violation.preemptions, "preemption");
  return text + ".\n";
}

std::string violation_text(const Report& report, const Violation& violation, bool color, unsigned width) {
  const Schedule schedule = to_schedule(report, violation, {});
  std::string text = "\n" + headline(schedule, color) + "\n";
  if (!report.is_replay) text += how_found(report, violation);
  text += "\nAt first: " + utf8::printable(violation.initial) + "\n" +
          render(schedule, {.max_rows = kMostSteps, .width = width, .color = color});
  if (!violation.not_saved_because.empty())
    text += "\nThe path could not be saved: " + violation.not_saved_because + "\n";
  if (!violation.schedule_file.empty() && !report.is_replay) {
    text += fmt::format("\nThe path is saved in {}.\nTo see it again:\n  {}\n",
        utf8::printable(violation.schedule_file),
        replay_command().with(file_for_shell(violation.schedule_file)));
  }
  return text;
}

}  // namespace

std::string to_text(const Report& report, bool color, unsigned width) {
  std::string text = verdict_line(report) + "\n" + table_of_bounds(report);
  if (!report.note.empty()) text += "Note: " + report.note + ".\n";
  for (const Violation& violation : report.violations)
    text += violation_text(report, violation, color, width);
  return text;
}

std::ostream& operator<<(std::ostream& out, const Report& report) {
  return out << to_text(report);
}

}  // namespace hocket::model
