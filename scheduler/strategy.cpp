#include <hocket/scheduler/strategy.hpp>

#include <stdexcept>

namespace hocket {

std::unique_ptr<Strategy> make_strategy(const Options& options) {
  if (options.strategy == "icb") return make_icb(options);
  if (options.strategy == "dfs") return make_dfs(options);
  if (options.strategy == "random") return make_random(options);
  if (options.strategy == "cb-por") return make_cb_por(options);
  throw std::invalid_argument(
      "hocket: there is no strategy \"" + options.strategy + "\"; there are icb, dfs and random");
}

}  // namespace hocket
