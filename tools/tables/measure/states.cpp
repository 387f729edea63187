#include "tools/tables/measure/states.hpp"

#include <memory>

#include "scheduler/api/options.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tools/tables/measure/executions.hpp"

namespace measure {

StatesByBound states_by_bound(const std::function<void()>& body, const std::string& strategy_name,
    const std::function<bool()>& goes_on) {
  hocket::Options options;
  options.strategy = strategy_name;
  options.max_preemptions = hocket::unbounded;
  const std::unique_ptr<hocket::Strategy> strategy = hocket::make_strategy(options);
  StateCounter states;
  StatesByBound result;
  result.is_complete =
      visit_executions(body, *strategy, states, [&](const hocket::runtime::ExecutionResult& run) {
        states.ended(run);
        const std::size_t bound = strategy->bound();
        if (result.within.size() <= bound) {
          result.within.resize(bound + 1, result.within.empty() ? 0 : result.within.back());
        }
        result.within[bound] = states.size();
        return goes_on();
      });
  return result;
}

}  // namespace measure
