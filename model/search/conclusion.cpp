#include "conclusion.hpp"

#include <utility>

#include <spdlog/fmt/fmt.h>

namespace hocket::model {

namespace {

void add_note(Report& report, const std::string& text) {
  report.note += (report.note.empty() ? "" : "; ") + text;
}

}  // namespace

void conclude(Report& report, const Options& options, const Flaws& flaws, const Limits& limits,
    const Coverage& coverage, std::string contradiction) {
  report.stopped_by = limits.stopped_by();
  if (!contradiction.empty()) {
    report.verdict = Verdict::nondeterministic;
    report.explanation = std::move(contradiction);
  } else if (!report.violations.empty()) {
    report.verdict = Verdict::failed;
  } else if (!coverage.is_complete) {
    const bool is_sample = report.walks != 0 && limits.reached_time_limit();
    report.verdict = is_sample ? Verdict::passed_sample : Verdict::stopped;
  } else if (options.store == Store::bitstate) {
    report.verdict = Verdict::passed_sample;
    add_note(report,
        fmt::format(
            "bitstate storage: a new state is taken for a known one, and what follows is left out, with a "
            "probability of {:.2g} at the end of the search",
            report.omission_probability));
  } else if (flaws.never_revisits) {
    report.verdict = Verdict::passed_sample;
    add_note(
        report, "states that are reached again by a shorter path are not visited again, which loses states");
  } else if (options.strategy == "random") {
    report.verdict = Verdict::passed_sample;
  } else if (flaws.reduction != FlawedReduction::none) {
    report.verdict = Verdict::passed_sample;
    add_note(
        report, "the reduction of the product with the automaton is unsound and may have left out a path");
  } else if (flaws.forgets_processes) {
    report.verdict = Verdict::passed_sample;
    add_note(report, "the processes that reached a state were not stored, which loses states");
  } else {
    report.verdict = coverage.is_everything ? Verdict::passed_exhaustively : Verdict::passed_within_bound;
  }
}

}  // namespace hocket::model
