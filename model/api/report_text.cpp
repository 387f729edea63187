#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "../../scheduler/api/number_text.hpp"
#include "../../scheduler/schedules/step_table.hpp"
#include "../../scheduler/schedules/utf8.hpp"
#include "report.hpp"

namespace hocket::model {

namespace {

constexpr std::size_t kMostSteps = 60;

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", number_text(count), noun, count == 1 ? "" : "s");
}

/// "88 573 states, 590 490 transitions, depth 30, in 49 ms"
std::string effort(const Report& report) {
  std::string text = plural(report.states, "state");
  if (report.visits > report.states)
    text += fmt::format(" ({} revisits)", number_text(report.visits - report.states));
  text += fmt::format(", {}, depth {}, ", plural(report.transitions, "transition"), report.depth);
  if (report.walks != 0) text += plural(report.walks, "walk") + ", ";
  return text + "in " + duration_text(report.seconds);
}

std::string verdict_line(const Report& report) {
  const std::string name = report.model + ": ";
  switch (report.verdict) {
    case Verdict::failed:
      return name + "FAILED: " + effort(report);
    case Verdict::passed_within_bound:
      if (report.bounds.empty()) return name + "passed every state within the depth: " + effort(report);
      return name +
             fmt::format("passed every state within {}: ", plural(report.bounds.size() - 1, "preemption")) +
             effort(report);
    case Verdict::passed_exhaustively:
      return name + "passed every state there is: " + effort(report);
    case Verdict::passed_sample:
      return name + "passed a sample of states (" + report.strategy + "): " + effort(report);
    case Verdict::stopped:
      return name + "stopped by " + report.stopped_by + " before everything was covered: " + effort(report);
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

/// The parts of a state's text: its lines, or what commas separate outside of brackets.
std::vector<std::string> parts_of(std::string_view text) {
  const bool has_lines = text.find('\n') != std::string_view::npos;
  if (!has_lines && text.size() >= 2 && text.front() == '{' && text.back() == '}')
    text = text.substr(1, text.size() - 2);
  std::vector<std::string> parts(1);
  int nesting = 0;
  for (const char c : text) {
    if (c == '{' || c == '[' || c == '(') ++nesting;
    if (c == '}' || c == ']' || c == ')') --nesting;
    const bool separates = has_lines ? c == '\n' : c == ',' && nesting == 0;
    if (separates) {
      parts.emplace_back();
    } else if (c != ' ' || !parts.back().empty()) {
      parts.back() += c;
    }
  }
  return parts;
}

/// The parts of `after` that differ from those of `before`; all of them if the parts do not correspond.
std::string changes(std::string_view before, std::string_view after) {
  if (before == after) return {};
  const std::vector<std::string> old = parts_of(before);
  const std::vector<std::string> now = parts_of(after);
  std::string text;
  for (std::size_t n = 0; n < now.size(); ++n) {
    if (old.size() == now.size() && old[n] == now[n]) continue;
    text += (text.empty() ? "" : ", ") + now[n];
  }
  return text;
}

std::vector<StepLine> lines_of(const Violation& violation, std::size_t begin) {
  std::vector<StepLine> lines;
  for (std::size_t n = begin; n < violation.path.size(); ++n) {
    const PathStep& step = violation.path[n];
    if (violation.cycle_begin == n && n != 0) {
      StepLine note;
      note.thread = step.process;
      note.is_for_all = true;
      note.head = "… and from here on the following steps for ever";
      lines.push_back(note);
    }
    if (step.preempts) {
      StepLine line;
      line.thread = violation.path[n - 1].process;
      line.head = "— preempted —";
      line.style = Style::preemption;
      line.is_preempted = true;
      if (n != begin) lines.push_back(line);
    }
    StepLine line;
    line.step = n + 1;
    line.thread = step.process;
    line.head = utf8::printable(step.action);
    lines.push_back(line);
    const std::string& before = n == 0 ? violation.initial : violation.path[n - 1].state;
    if (const std::string text = changes(before, step.state); !text.empty()) {
      StepLine note;
      note.thread = step.process;
      note.head = "  " + utf8::printable(text);
      lines.push_back(note);
    }
  }
  if (!lines.empty() && violation.kind != ViolationKind::acceptance_cycle &&
      violation.kind != ViolationKind::progress_cycle) {
    StepLine line;
    line.thread = violation.path.back().process;
    line.head = "FAILS: " + utf8::printable(violation.message);
    line.style = Style::failure;
    lines.push_back(line);
  }
  return lines;
}

std::string violation_text(const Report& report, const Violation& violation, bool color, unsigned width) {
  const RenderOptions options{.width = width, .color = color};
  std::string text = "\n" + painted(utf8::printable(violation.message), Style::failure, color) + "\n";
  text += fmt::format("Found after {}", plural(violation.path.size(), "step"));
  if (!report.bounds.empty()) text += " with " + plural(violation.preemptions, "preemption");
  text += ".\n\nAt first: " + utf8::printable(violation.initial) + "\n";
  if (violation.path.empty()) return text + "It fails in this state.\n";
  std::vector<std::string> labels;
  for (const PathStep& step : violation.path) {
    if (labels.size() <= step.process) labels.resize(step.process + 1);
    labels[step.process] = utf8::printable(step.process_name);
  }
  const std::size_t begin = violation.path.size() - std::min(violation.path.size(), kMostSteps);
  if (begin != 0) text += "… " + plural(begin, "step") + " before\n";
  return text + table_of_steps(std::move(labels), violation.path.size(), lines_of(violation, begin), options);
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
