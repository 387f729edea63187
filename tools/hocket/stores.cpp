#include "stores.hpp"

#include <algorithm>

#include "runtime/diagnosis/step_effects.hpp"
#include "runtime/terms/semantics.hpp"

namespace hocket::tool {

Stores::Use Stores::add(
    std::size_t number, const runtime::RecordedChoice& step, std::optional<std::size_t> chosen) {
  const runtime::Semantics& row = runtime::semantics_of(step.operation);
  const bool is_plain_write = step.operation == runtime::Operation::memory_write;
  if (!runtime::is_atomic(row.synchronization) && !is_plain_write) return {};
  std::vector<std::size_t>& order = orders_[step.object];
  if (order.empty()) order.push_back(0);
  auto found = order.end() - 1;
  if (chosen.has_value()) {
    const auto place = std::find(order.begin(), order.end(), *chosen);
    if (place != order.end()) found = place;
  }
  Use use;
  use.newer.assign(found + 1, order.end());
  const bool reads = row.synchronization != runtime::Synchronization::atomic_store && !is_plain_write;
  if (reads) {
    use.read = *found;
  } else if (!use.is_of_newest()) {
    use.behind = *found;
  }
  if (runtime::writes(step)) order.insert(found + 1, number);
  return use;
}

}  // namespace hocket::tool
