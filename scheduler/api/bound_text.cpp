#include "bound_text.hpp"

#include <cmath>
#include <cstdint>

#include <spdlog/fmt/fmt.h>

#include "number_text.hpp"

namespace hocket {

namespace {

constexpr double kPercent = 100;

/// Never all of it, and never nothing, of what has begun and is not finished.
std::string percent_text(double share) {
  const double percent = share * kPercent;
  if (percent < 1) return "less than 1 %";
  return fmt::format("about {:.0f} %", std::floor(std::min(percent, kPercent - 1)));
}

/// In two digits: more would only seem to be known.
std::string rounded_text(std::uint64_t number) {
  std::uint64_t unit = 1;
  while (number / unit >= 100) unit *= 10;
  return number_text((number + unit / 2) / unit * unit);
}

std::string time_text(double seconds) {
  constexpr double kYear = 3600.0 * 24 * 365;
  return seconds < kYear ? duration_text(seconds) : "years";
}

/// "3 min to 9 min"
std::string time_left(const BoundEstimate& estimate) {
  const std::string least = time_text(estimate.seconds_left(estimate.least));
  const std::string most = time_text(estimate.seconds_left(estimate.most));
  return least == most ? most : least + " to " + most;
}

bool takes_for_ever(const BoundEstimate& estimate) {
  constexpr double kHour = 3600;
  return estimate.seconds_left(estimate.least) > kHour;
}

}  // namespace

std::string estimate_text(const BoundEstimate& estimate) {
  std::string text = fmt::format("{} done, {} left", percent_text(estimate.share), time_left(estimate));
  if (takes_for_ever(estimate) && estimate.bound == 0) text += " (see --hocket_strategy: mix samples)";
  return text;
}

std::string unfinished_bound_text(const Report& report) {
  if (!report.unfinished || report.unfinished->runs == 0) return {};
  const BoundEstimate& estimate = *report.unfinished;
  const std::string what = report.bounds.empty()
                               ? "The search"
                               : "The bound of " + count_of_units(estimate.bound, report.bound_unit);
  std::string text =
      fmt::format("{} is {} done: {} of probably {} to {} executions; the rest would take {}.\n", what,
          percent_text(estimate.share), number_text(estimate.runs), rounded_text(estimate.least),
          rounded_text(estimate.most), time_left(estimate));
  if (takes_for_ever(estimate)) {
    text += estimate.bound == 0 && !report.bounds.empty()
                ? "Even without preemptions there are too many orders. Fewer threads, or fewer steps of "
                  "each, help most; --hocket_strategy=icb-por leaves out orders of independent steps, and "
                  "mix takes samples.\n"
                : "That is too long: fewer threads or fewer steps of each help most; --hocket_strategy=mix "
                  "takes samples of what is left.\n";
  }
  return text;
}

}  // namespace hocket
