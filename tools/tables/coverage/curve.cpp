#include "tools/tables/coverage/curve.hpp"

#include <algorithm>
#include <memory>

#include "scheduler/api/options.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tools/tables/measure/executions.hpp"

namespace coverage {

namespace {

constexpr std::uint64_t kPointsInADoubling = 14;  ///< at least, where executions are close enough

hocket::Options options_for(const std::string& strategy) {
  hocket::Options options;
  options.strategy = strategy;
  options.max_preemptions = hocket::unbounded;
  return options;
}

}  // namespace

void check_strategy(const std::string& strategy) {
  static_cast<void>(hocket::make_strategy(options_for(strategy)));
}

Curve curve_of(const samples::SampleProgram& program, const std::string& name, std::uint64_t executions) {
  const std::unique_ptr<hocket::Strategy> strategy = hocket::make_strategy(options_for(name));
  measure::StateCounter states;
  Curve curve{name, {}, false};
  Point now{0, 0};
  std::uint64_t next_point = 1;
  curve.is_everything = measure::visit_executions(
      program.body, *strategy, states, [&](const hocket::runtime::ExecutionResult& run) {
        states.ended(run);
        now = {now.executions + 1, states.size()};
        if (now.executions == next_point) {
          curve.points.push_back(now);
          next_point += std::max<std::uint64_t>(1, next_point / kPointsInADoubling);
        }
        return now.executions < executions;
      });
  if (curve.points.back().executions != now.executions) curve.points.push_back(now);
  return curve;
}

}  // namespace coverage
