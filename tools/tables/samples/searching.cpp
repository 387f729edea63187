#include "tools/tables/samples/searching.hpp"

#include <ctime>
#include <stdexcept>

#include "scheduler/api/number_text.hpp"
#include "scheduler/process/search_guards.hpp"
#include "scheduler/search/search.hpp"

namespace tables {

std::string to_text(Count count) {
  return (count.is_complete ? "" : "> ") + hocket::number_text(count.number);
}

hocket::Report search(
    const std::string& strategy, unsigned max_bound, double seconds, const std::function<void()>& body) {
  hocket::Options options;
  options.strategy = strategy;
  options.max_preemptions = max_bound;
  options.time_limit =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  options.try_saved = false;
  options.save_schedules = false;
  hocket::Report report = hocket::Search("a sample", body, options).run();
  if (report.stopped_by == "Ctrl-C") throw std::runtime_error("stopped by Ctrl-C");
  if (report.verdict == hocket::Verdict::nondeterministic) throw std::runtime_error(report.explanation);
  return report;
}

hocket::Report search_correct(
    const std::string& strategy, unsigned max_bound, double seconds, const std::function<void()>& body) {
  hocket::Report report = search(strategy, max_bound, seconds, body);
  if (report.failed()) {
    throw std::runtime_error("a correct program has failed: " + report.failures.at(0).message);
  }
  return report;
}

Count executions_within(const hocket::Report& report, unsigned bound) {
  Count count;
  const bool has_passed = report.verdict == hocket::Verdict::passed_within_bound ||
                          report.verdict == hocket::Verdict::passed_exhaustively;
  count.is_complete = has_passed || bound < report.bounds.size();
  for (unsigned c = 0; c <= bound && c < report.bounds.size(); ++c) {
    count.number += report.bounds[c].executions;
    count.is_complete = count.is_complete && report.bounds[c].complete;
  }
  return count;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace tables
