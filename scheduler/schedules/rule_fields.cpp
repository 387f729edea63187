#include "rule_fields.hpp"

#include <array>
#include <cstdint>
#include <limits>

#include "../../runtime/terms/choice.hpp"
#include "schedule.hpp"

namespace hocket {

std::span<const RuleField> rule_fields() {
  using Rules = runtime::ExecutionRules;
  static constexpr std::array<RuleField, 16> kAll{{
      {.name = "max_steps", .member = &Rules::max_steps, .least = 1, .most = runtime::kMaxPositions},
      {.name = "stack_size",
          .member = &Rules::stack_size,
          .least = Rules::kLeastStack,
          .most = Rules::kMostStack},
      {.name = "spurious_wakeups", .member = &Rules::spurious_wakeups, .said = "spurious wake-ups on"},
      {.name = "spurious_failures", .member = &Rules::spurious_failures, .said = "spurious failures on"},
      {.name = "fair", .member = &Rules::fair, .is_optional = true, .said = "fair"},
      {.name = "late_from",
          .member = &Rules::late_from,
          .is_optional = true,
          .least = 1,
          .most = std::numeric_limits<std::int64_t>::max()},
      {.name = "plain_steps",
          .member = &Rules::plain_steps,
          .is_optional = true,
          .said = "plain accesses as steps"},
      {.name = "volatile_atomics",
          .member = &Rules::volatile_atomics,
          .is_optional = true,
          .said = "volatile accesses as atomic ones",
          .format = Schedule::kNewestFormat},
      {.name = "keeps_memory",
          .member = &Rules::keeps_memory,
          .is_optional = true,
          .said = "memory not restored"},
      {.name = "passed_races",
          .member = &Rules::passed_races,
          .is_optional = true,
          .least = 1,
          .most = std::numeric_limits<std::uint32_t>::max(),
          .format = Schedule::kNewestFormat},
      {.name = "memory_model",
          .member = &Rules::keeps_stores,
          .is_optional = true,
          .said = "the C++ memory model",
          .text = "c11",
          .format = Schedule::kFormatWithStores},
      {.name = "stale_limit",
          .member = &Rules::stale_limit,
          .is_optional = true,
          .least = 1,
          .most = std::numeric_limits<std::uint32_t>::max(),
          .format = Schedule::kFormatWithStores},
      {.name = "reads_older_once",
          .member = &Rules::reads_older_once,
          .is_optional = true,
          .said = "older values at most once by threads that poll",
          .format = Schedule::kFormatWithStores},
      {.name = "watches_lives",
          .member = &Rules::watches_lives,
          .is_optional = true,
          .said = "lives of objects are watched",
          .format = Schedule::kNewestFormat},
      {.name = "own_process",
          .member = &Rules::own_process,
          .is_optional = true,
          .said = "each execution in a process of its own"},
      {.name = "detect", .member = &Rules::detect, .is_optional = true},
  }};
  return kAll;
}

}  // namespace hocket
