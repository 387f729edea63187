#include "failures.hpp"

#include <utility>

#include "../../runtime/diagnosis/source_text.hpp"
#include "../../runtime/platform/symbols/build_id.hpp"
#include "../existing_tests/whole_test.hpp"
#include "../schedules/schedule_file.hpp"
#include "replay.hpp"
#include "report_file.hpp"

namespace hocket {

Schedule describe(
    const Exploration& exploration, const runtime::Failure& failure, const runtime::Trace& trace) {
  const Options& options = exploration.options;
  const Report& report = exploration.report;
  Schedule schedule;
  schedule.test = report.test;
  schedule.binary = runtime::platform::path_of_this_program();
  schedule.build_id = runtime::platform::build_id_of_this_program();
  schedule.whole_test = WholeTestGuard::is_searched();
  schedule.strategy = options.strategy;
  schedule.seed = options.seed;
  schedule.rules() = execution_rules(options);
  schedule.executions = report.executions == 0 ? 0 : report.executions - 1;
  describe_failure(schedule, failure, trace);
  return schedule;
}

void describe_failure(Schedule& schedule, const runtime::Failure& failure, const runtime::Trace& trace) {
  schedule.kind = failure.kind;
  schedule.message = failure.message;
  schedule.where = runtime::place_of(failure.where);
  schedule.threads = trace.threads();
  schedule.choices = trace.choices();
  schedule.bound = 0;
  for (const runtime::Trace::Choice& choice : schedule.choices) schedule.bound += choice.price;
}

void add_failure(
    Exploration& exploration, Schedule schedule, std::string output, const std::string& already_saved_in) {
  const Options& options = exploration.options;
  Report& report = exploration.report;
  FoundFailure found;
  found.kind = schedule.kind;
  found.message = schedule.message;
  found.where = schedule.where;
  found.bound = schedule.bound;
  found.executions = schedule.executions;
  found.output = std::move(output);
  found.schedule_file = already_saved_in;
  if (already_saved_in.empty() && options.save_schedules) {
    try {
      found.schedule_file = save_new(schedule, options.schedule_dir).lexically_normal().string();
    } catch (const ScheduleError& error) {
      found.not_saved_because = error.what();
    }
  }
  found.schedule = std::make_shared<const Schedule>(std::move(schedule));
  report.failures.push_back(std::move(found));
  report.verdict = Verdict::failed;
  ReportAtDeath::refresh();
}

void reorder(Exploration& exploration, const std::vector<OrderedChoice>& order,
    const runtime::ClassHash& hash, std::vector<std::uint16_t>& codes) {
  FollowOrder chooser(order);
  const runtime::ExecutionResult again = exploration.run(chooser, exploration.execution_options());
  if (again.outcome == runtime::Outcome::failed && again.hash == hash) codes = codes_of(again.log);
}

void record_failure(
    Exploration& exploration, const std::vector<std::uint16_t>& codes, const runtime::ClassHash& hash) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the second run changes it
  const runtime::Failure first = runtime::execution.failure();
  if (!exploration.signatures.insert(first.signature).second) return;
  runtime::Trace trace;
  FollowCodes chooser(codes);
  runtime::ExecutionOptions options = exploration.execution_options();
  options.trace = &trace;
  exploration.begin_capture();
  const runtime::ExecutionResult again = exploration.run(chooser, options);
  std::string output = exploration.end_capture();
  const runtime::Failure& second = runtime::execution.failure();
  if (again.outcome != runtime::Outcome::failed || second.kind != first.kind || again.hash != hash) {
    exploration.report.verdict = Verdict::nondeterministic;
    const std::string kind(to_string(first.kind));
    const std::string what = first.message.starts_with(kind) ? first.message : kind + ": " + first.message;
    exploration.report.explanation =
        "an execution failed (" + what + "), but " +
        (again.outcome == runtime::Outcome::failed ? "failed in another way" : "passed") +
        " when it was run again under the same schedule";
    return;
  }
  add_failure(exploration, describe(exploration, second, trace), std::move(output), {});
}

}  // namespace hocket
