#include "progress.hpp"

#include <algorithm>
#include <string>

#include <spdlog/fmt/fmt.h>

#include "../api/bound_text.hpp"
#include "../api/number_text.hpp"

namespace hocket {

double estimate_next(const Report& report, unsigned bound, std::uint64_t pending_at_next) {
  // Executions with c preemptions branch into those with c + 1. Assume the same growth factor as from the
  // previous bound to this one.
  const double here = static_cast<double>(report.bounds[bound].executions);
  if (bound == 0 || report.bounds[bound - 1].executions == 0) return static_cast<double>(pending_at_next);
  const double before = static_cast<double>(report.bounds[bound - 1].executions);
  return std::max(static_cast<double>(pending_at_next), here * here / before);
}

void Progress::tick(const Report& report, const Strategy& strategy,
    const std::optional<BoundEstimate>& estimate, std::chrono::steady_clock::time_point begin,
    std::chrono::steady_clock::time_point now) {
  if (!line_.is_due(now)) return;
  const double seconds = std::chrono::duration<double>(now - begin).count();
  const double rate = seconds > 0 ? static_cast<double>(report.executions) / seconds : 0;
  std::string line = fmt::format("{}: ", report.test);
  if (strategy.has_bounds()) line += fmt::format("bound {}", strategy.bound());
  if (estimate) line += (strategy.has_bounds() ? " " : "") + estimate_text(*estimate);
  if (strategy.has_bounds() || estimate) line += ", ";
  line += fmt::format("{} executions ({}/s), {} classes", number_text(report.executions),
      number_text(static_cast<std::uint64_t>(rate)), number_text(report.classes));
  if (const PendingWork work = strategy.pending(); work.items != 0) {
    line += fmt::format(", {} pending", number_text(work.items));
  }
  line += ", " + duration_text(seconds);
  line_.show(line, now);
}

void Progress::tick(const std::string& test, unsigned jobs, std::uint64_t executions,
    std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point now) {
  if (!line_.is_due(now)) return;
  const double seconds = std::chrono::duration<double>(now - begin).count();
  line_.show(fmt::format("{}: {} jobs, {} executions ({}/s), {}", test, jobs, number_text(executions),
                 number_text(static_cast<std::uint64_t>(static_cast<double>(executions) / seconds)),
                 duration_text(seconds)),
      now);
}

void Progress::bound_done(const Report& report, unsigned bound, std::uint64_t pending, double seconds) {
  if (pending == 0 || seconds < 1) return;  // not useful for a short search
  const double next = estimate_next(report, bound, pending);
  const double rate = static_cast<double>(report.executions) / seconds;
  line_.leave(fmt::format("{}: bound {} done after {}; bound {} may need {} executions, {}", report.test,
      bound, duration_text(seconds), bound + 1, number_text(static_cast<std::uint64_t>(next)),
      duration_text(next / rate)));
}

}  // namespace hocket
