#include "options.hpp"

#include <stdexcept>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/execution/execution_options.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../strategies/strategy.hpp"

namespace hocket {

std::uint32_t step_limit(const Options& options) {
  constexpr std::uint32_t kUsual = runtime::ExecutionOptions{}.max_steps;
  // A loop that polls is found to wait, however many accesses there are in a round; so this many steps are
  // hardly ever those of an execution that does not end.
  constexpr std::uint32_t kWithPlainSteps = 50 * kUsual;
  return options.max_steps.value_or(options.plain_steps ? kWithPlainSteps : kUsual);
}

void check(const Options& options) {
  if (const std::uint32_t most = step_limit(options); most == 0 || most > runtime::kMaxPositions) {
    throw std::invalid_argument(
        fmt::format("hocket: max_steps is {}; it must be between 1 and {}", most, runtime::kMaxPositions));
  }
  constexpr std::size_t kLeastStack = std::size_t{16} * 1024;
  constexpr std::size_t kMostStack = std::size_t{1} << 30U;
  if (options.stack_size != 0 && (options.stack_size < kLeastStack || options.stack_size > kMostStack)) {
    throw std::invalid_argument(fmt::format("hocket: stack_size is {}; it must be between {} and {} bytes",
        options.stack_size, kLeastStack, kMostStack));
  }
  constexpr unsigned kMostDepth = 1000;
  if (options.pct_depth > kMostDepth) {
    throw std::invalid_argument(
        fmt::format("hocket: pct_depth is {}; it must be at most {}", options.pct_depth, kMostDepth));
  }
  if (!make_strategy(options)->can_be_fair() && options.fair) {
    throw std::invalid_argument(fmt::format(
        "hocket: {} cannot search fairly; icb, dfs, idfs, delay, random and pct can", options.strategy));
  }
  if (options.time_limit.count() < 0) throw std::invalid_argument("hocket: time_limit is negative");
  if (options.watchdog.count() < 0) throw std::invalid_argument("hocket: watchdog is negative");
}

}  // namespace hocket
