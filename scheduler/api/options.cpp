#include "options.hpp"

#include <stdexcept>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/terms/choice.hpp"
#include "../strategies/strategy_table.hpp"

namespace hocket {

std::uint32_t step_limit(const Options& options) {
  constexpr std::uint32_t kUsual = runtime::ExecutionRules{}.max_steps;
  // A polling loop is recognized as waiting however many accesses a round has. So the limit can be this high:
  // executions that never end rarely have to run up to it.
  constexpr std::uint32_t kWithPlainSteps = 50 * kUsual;
  return options.max_steps.value_or(options.plain_steps ? kWithPlainSteps : kUsual);
}

MemoryModel memory_model_of(const Options& options) {
  const bool can_keep_stores = strategy_info(options.strategy).can_keep_stores;
  return options.memory_model.value_or(can_keep_stores ? MemoryModel::c11 : MemoryModel::sc);
}

namespace {

/// ExecutionRules::late_from
std::size_t late_from(Timeouts timeouts) {
  constexpr std::chrono::nanoseconds kHour = std::chrono::hours(1);
  switch (timeouts) {
    case Timeouts::any:
      break;
    case Timeouts::late:
      return 1;  // what waits for no time at all does not wait
    case Timeouts::hour:
      return static_cast<std::size_t>(kHour.count());
  }
  return 0;
}

}  // namespace

runtime::ExecutionRules execution_rules(const Options& options) {
  runtime::ExecutionRules rules;
  rules.max_steps = step_limit(options);
  if (options.stack_size != 0) rules.stack_size = options.stack_size;
  rules.spurious_wakeups = options.spurious_wakeups;
  rules.spurious_failures = options.spurious_failures;
  rules.fair = options.fair;
  rules.late_from = late_from(options.timeouts);
  rules.plain_steps = options.plain_steps;
  rules.volatile_atomics = options.volatile_atomics;
  rules.keeps_stores = options.memory_model == MemoryModel::c11;
  if (rules.keeps_stores) {
    const bool has_no_price = options.strategy == "dfs";
    if (options.max_stale != unbounded) rules.stale_limit = options.max_stale + 1;
    rules.reads_older_once = has_no_price || options.max_preemptions == unbounded;
  }
  rules.keeps_memory = options.restore == Restore::nothing;
  rules.own_process = options.restore == Restore::fork;
  rules.detect = options.detect.with(runtime::Detector::lock_orders);  // which changes no execution
  return rules;
}

void check(const Options& options) {
  if (const std::uint32_t most = step_limit(options); most == 0 || most > runtime::kMaxPositions) {
    throw std::invalid_argument(
        fmt::format("hocket: max_steps is {}; it must be between 1 and {}", most, runtime::kMaxPositions));
  }
  constexpr std::size_t kLeastStack = runtime::ExecutionRules::kLeastStack;
  constexpr std::size_t kMostStack = runtime::ExecutionRules::kMostStack;
  if (options.stack_size != 0 && (options.stack_size < kLeastStack || options.stack_size > kMostStack)) {
    throw std::invalid_argument(fmt::format("hocket: stack_size is {}; it must be between {} and {} bytes",
        options.stack_size, kLeastStack, kMostStack));
  }
  constexpr unsigned kMostDepth = 1000;
  if (options.pct_depth > kMostDepth) {
    throw std::invalid_argument(
        fmt::format("hocket: pct_depth is {}; it must be at most {}", options.pct_depth, kMostDepth));
  }
  if (!strategy_info(options.strategy).can_be_fair && options.fair) {
    throw std::invalid_argument(
        fmt::format("hocket: {} cannot search fairly; {} can", options.strategy, names_of_fair_strategies()));
  }
  if (!strategy_info(options.strategy).can_keep_stores && options.memory_model == MemoryModel::c11) {
    throw std::invalid_argument(fmt::format("hocket: {} cannot search under the C++ memory model; {} can",
        options.strategy, names_of_strategies_for_c11()));
  }
  if (options.shard && !strategy_info(options.strategy).can_be_split) {
    throw std::invalid_argument(
        fmt::format("hocket: a search with {} cannot be split into shards; with {} it can", options.strategy,
            names_of_strategies_for_shards()));
  }
  if (options.shard && (options.shard->index == 0 || options.shard->index > options.shard->count)) {
    throw std::invalid_argument(
        fmt::format("hocket: there is no shard {} of {}", options.shard->index, options.shard->count));
  }
  constexpr unsigned kMostJobs = 1024;
  if (options.jobs > kMostJobs)
    throw std::invalid_argument(
        fmt::format("hocket: jobs is {}; it must be at most {}", options.jobs, kMostJobs));
  const bool is_sealed = !options.seal.empty() || !options.open.empty();
  if (is_sealed && !strategy_info(options.strategy).can_be_sealed) {
    throw std::invalid_argument(
        fmt::format("hocket: {} cannot leave out the preemptions of some code (--hocket_seal, "
                    "--hocket_open); {} can",
            options.strategy, names_of_strategies_for_seals()));
  }
  if (options.time_limit.count() < 0) throw std::invalid_argument("hocket: time_limit is negative");
  if (options.watchdog.count() < 0) throw std::invalid_argument("hocket: watchdog is negative");
}

}  // namespace hocket
