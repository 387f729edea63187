#include "search_log.hpp"

#include <chrono>
#include <string>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/execution/run.hpp"
#include "../api/bound_text.hpp"
#include "../api/number_text.hpp"
#include "../strategies/strategy.hpp"
#include "../strategies/strategy_table.hpp"
#include "log.hpp"

namespace hocket::search_log {

namespace {

std::string limits_of(const Options& options) {
  std::string text;
  if (options.max_executions != 0) text += ", at most " + count_text(options.max_executions, "execution");
  if (options.time_limit.count() != 0)
    text += ", at most " + duration_text(std::chrono::duration<double>(options.time_limit).count());
  if (options.memory_limit != 0) text += ", at most " + number_text(options.memory_limit) + " bytes";
  return text;
}

std::string memory_model_and_why(const Exploration& exploration) {
  const std::string& strategy = exploration.options.strategy;
  if (!strategy_info(strategy).can_keep_stores) return "sc, as " + strategy + " knows no other";
  if (exploration.asked_model == MemoryModel::sc) return "sc, as was asked for";
  if (exploration.options.memory_model == MemoryModel::c11)
    return "c11 from the start, as child processes do not tell which memory orders they met";
  return "sc until an operation asks for a weaker order than seq_cst, and then c11";
}

std::string_view how_state_is_restored(const Exploration& exploration) {
  if (runtime::run.host == nullptr) return "nothing, as its code is not instrumented";
  switch (exploration.options.restore) {
    case Restore::snapshot:
      return "globals and heaps, from a snapshot (--hocket_restore=snapshot)";
    case Restore::fork:
      return "everything, as each runs in a process of its own (--hocket_restore=fork)";
    case Restore::nothing:
      break;
  }
  return "nothing, as was asked for (--hocket_restore=nothing)";
}

void write_decision(const std::string& sentence) {
  write_log(LogLevel::debug, sentence);
}

}  // namespace

void begins(const Exploration& exploration) {
  tell_of_decision = logs(LogLevel::debug) ? &write_decision : nullptr;
  if (!logs(LogLevel::info)) return;
  const Options& options = exploration.options;
  const Report& report = exploration.report;
  const std::string bound = options.max_preemptions == unbounded
                                ? "without a last bound"
                                : "to bound " + number_text(options.max_preemptions);
  log(LogLevel::info, "{}: strategy {} ({}), {}{}{}", report.test, options.strategy,
      strategy_info(options.strategy).what, bound, options.fair ? ", fairly" : "", limits_of(options));
  log(LogLevel::info, "{}: memory model {}", report.test, memory_model_and_why(exploration));
  log(LogLevel::debug, "{}: before each execution is restored: {}", report.test,
      how_state_is_restored(exploration));
}

void begins_anew(const Exploration& exploration, std::string_view because) {
  const Report& report = exploration.report;
  log(LogLevel::info, "{}: begins anew after {}, because {}", report.test,
      count_text(report.executions, "execution"), because);
}

void bound_is_done(const Exploration& exploration, unsigned bound, double seconds) {
  const Report& report = exploration.report;
  if (!logs(LogLevel::info) || bound >= report.bounds.size()) return;
  const BoundReport& done = report.bounds[bound];
  log(LogLevel::info, "{}: bound of {} done in {}: {}, {} that passed, {} that failed", report.test,
      count_of_units(bound, report.bound_unit), duration_text(seconds),
      count_text(done.executions, "execution"), count_text(done.classes, "new class"),
      number_text(done.failures));
}

void ends(const Exploration& exploration, double seconds) {
  const Report& report = exploration.report;
  log(LogLevel::info, "{}: {} after {}: {} of {}, {} cut short, {} dropped{}", report.test,
      to_string(report.verdict), duration_text(seconds), count_text(report.executions, "execution"),
      count_text(report.classes, "class"), number_text(report.pruned), number_text(report.dropped),
      report.stopped_by.empty() ? "" : "; stopped by " + report.stopped_by);
}

}  // namespace hocket::search_log
