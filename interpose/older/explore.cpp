#include "explore.hpp"

#include <ostream>

#include "../../scheduler/api/explore.hpp"
#include "named_options.hpp"

namespace hocket::older {

Report explore(const std::string& test, const std::function<void()>& body, const Options& options) {
  const hocket::Report found = hocket::explore(test, body, named_options(options));
  Report report;
  report.has_failed = found.failed();
  report.verdict = to_string(found.verdict);
  report.executions = found.executions;
  report.classes = found.classes;
  report.steps = found.steps;
  for (const FoundFailure& failure : found.failures) report.failures.push_back(failure.message);
  report.text = to_text(found);
  return report;
}

std::ostream& operator<<(std::ostream& out, const Report& report) {
  return out << report.text;
}

}  // namespace hocket::older
