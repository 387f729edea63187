#include "conclusion.hpp"

#include <utility>

#include <spdlog/fmt/fmt.h>

namespace hocket::model {

void conclude(Report& report, const Options& options, const Limits& limits, const Coverage& coverage,
    std::string contradiction) {
  report.seconds = limits.seconds();
  report.stopped_by = limits.stopped_by();
  if (!contradiction.empty()) {
    report.verdict = Verdict::nondeterministic;
    report.explanation = std::move(contradiction);
  } else if (!report.violations.empty()) {
    report.verdict = Verdict::failed;
  } else if (!coverage.is_complete) {
    report.verdict = Verdict::stopped;
  } else if (options.store == Store::bitstate) {
    report.verdict = Verdict::passed_sample;
    report.note = fmt::format(
        "bitstate storage: a new state is taken for a known one, and what follows is left out, with a "
        "probability of {:.2g} at the end of the search",
        report.omission_probability);
  } else if (options.strategy == "depth" && options.revisits == Revisits::none) {
    report.verdict = Verdict::passed_sample;
    report.note = "states that are reached again by a shorter path are not visited again, which loses states";
  } else if (options.forgets_processes) {
    report.verdict = Verdict::passed_sample;
    report.note = "the processes that reached a state were not stored, which loses states";
  } else {
    report.verdict = coverage.is_everything ? Verdict::passed_exhaustively : Verdict::passed_within_bound;
  }
}

}  // namespace hocket::model
