#include "path_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "../../runtime/platform/symbols/build_id.hpp"
#include "../../runtime/terms/thread_set.hpp"
#include "../../scheduler/failures/failure_pages.hpp"
#include "../../scheduler/schedules/schedule_file.hpp"

namespace hocket::model {

namespace {

using runtime::FailureKind;
using runtime::RecordedChoice;

/// The processes that have a column, in order: all up to the greatest number, unless that would be too many.
std::vector<Process> columns_of(const Violation& violation) {
  std::set<Process> numbers{0};
  for (const PathStep& step : violation.path) numbers.insert(step.process);
  if (const Process greatest = *numbers.rbegin(); greatest < runtime::kMaxThreads) {
    for (Process number = 0; number < greatest; ++number) numbers.insert(number);
  }
  return {numbers.begin(), numbers.end()};
}

FailureKind kind_of(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::invariant:
      return FailureKind::check;
    case ViolationKind::step:
      return FailureKind::assertion;
    case ViolationKind::deadlock:
      return FailureKind::deadlock;
    case ViolationKind::exception:
      return FailureKind::exception;
    case ViolationKind::exit:
      return FailureKind::exit;
    case ViolationKind::acceptance_cycle:
    case ViolationKind::progress_cycle:
    case ViolationKind::accepted_path:
      break;
  }
  return FailureKind::livelock;
}

/// The states of the path alone.
ModelStates states_of_path(const Violation& violation) {
  constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
  ModelStates model;
  const std::string* last = &violation.initial;
  model.states.push_back(parts_of(*last));
  std::size_t bytes = last->size();
  for (const PathStep& step : violation.path) {
    if (step.state != *last) {
      last = &step.state;
      bytes += last->size();
      model.states.push_back(parts_of(*last));
    }
    if (bytes > kMostBytes) return {};
    model.path.push_back(static_cast<ModelStates::Number>(model.states.size() - 1));
  }
  return model;
}

/// All states, among them those of the path: its steps are counted as those of the graph are. Empty if there
/// is no graph that has them.
ModelStates states_of_graph(const StateGraph& graph, const Violation& violation) {
  ModelStates model;
  for (const std::string& state : graph.states) model.states.push_back(parts_of(state));
  for (const StateGraph::Step& step : graph.steps)
    model.transitions.push_back({step.from, step.process_name, step.action, step.to});
  ModelStates::Number state = 0;
  for (const PathStep& step : violation.path) {
    // Clang 14 does not compile std::ranges::equal_range() of libstdc++ 12.
    const auto own = std::ranges::lower_bound(graph.steps, state, {}, &StateGraph::Step::from);
    const auto end = std::ranges::upper_bound(own, graph.steps.end(), state, {}, &StateGraph::Step::from);
    if (std::cmp_greater_equal(step.choice, end - own)) return {};
    state = own[static_cast<std::ptrdiff_t>(step.choice)].to.value_or(state);
    model.path.push_back(state);
  }
  return model;
}

}  // namespace

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

std::string changes(const std::string& before, const std::string& after) {
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

Schedule to_schedule(const Report& report, const Violation& violation, const Options& options) {
  Schedule schedule;
  schedule.test = report.model;
  schedule.binary = runtime::platform::path_of_this_program();
  schedule.build_id = runtime::platform::build_id_of_this_program();
  schedule.strategy = options.strategy;
  schedule.seed = options.seed;
  schedule.kind = kind_of(violation.kind);
  schedule.message = violation.message;
  schedule.bound = violation.preemptions;
  const std::vector<Process> numbers = columns_of(violation);
  schedule.model = states_of_graph(report.graph, violation);
  if (schedule.model.states.empty()) schedule.model = states_of_path(violation);
  const auto is_short = [](const auto& state) { return state.size() <= ModelStates::kMostParts; };
  if (!std::ranges::all_of(schedule.model.states, is_short)) schedule.model = {};
  if (!schedule.model.states.empty()) schedule.model.members = report.members;
  for (const Process number : numbers) {
    const auto n = static_cast<unsigned>(schedule.threads.size());
    schedule.threads.push_back({"process " + std::to_string(number), n == 0 ? -1 : 0, n, {}});
  }
  const std::string* before = &violation.initial;
  for (const PathStep& step : violation.path) {
    const auto column =
        static_cast<unsigned>(std::ranges::lower_bound(numbers, step.process) - numbers.begin());
    schedule.threads[column].label = step.process_name;
    RecordedChoice choice;
    choice.thread = column;
    choice.operation = runtime::Operation::model_step;
    choice.object = step.action;
    choice.count = step.choice;  // of so many others that the state had before it
    choice.code = runtime::thread_code(column, runtime::Mode::run);
    choice.price = step.preempts ? 1 : 0;
    if (std::string text = changes(*before, step.state); !text.empty())
      choice.notes.push_back(std::move(text));
    before = &step.state;
    schedule.choices.push_back(std::move(choice));
  }
  return schedule;
}

void write_pages(const Report& report) {
  std::vector<std::string> files;
  for (const Violation& violation : report.violations) {
    if (!violation.schedule_file.empty()) files.push_back(violation.schedule_file);
  }
  write_failure_pages(report.model, files);
}

void save_paths(Report& report, const Options& options) {
  if (!options.save_schedules) return;
  for (Violation& violation : report.violations) {
    if (!violation.schedule_file.empty()) continue;
    if (columns_of(violation).size() > runtime::kMaxThreads) {
      violation.not_saved_because =
          "a schedule file has at most " + std::to_string(runtime::kMaxThreads) + " processes";
      continue;
    }
    try {
      const Schedule schedule = to_schedule(report, violation, options);
      violation.schedule_file = save_new(schedule, options.schedule_dir).lexically_normal().string();
    } catch (const ScheduleError& error) {
      violation.not_saved_because = error.what();
    }
  }
}

}  // namespace hocket::model
