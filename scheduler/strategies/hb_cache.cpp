#include "hb_cache.hpp"

#include <memory>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/platform/physical_memory.hpp"
#include "../api/number_text.hpp"

namespace hocket {

std::size_t memory_for_states(const Options& options) {
  return options.memory_limit != 0 ? options.memory_limit / 2 : runtime::platform::physical_memory() / 8;
}

HbCacheRules::HbCacheRules(const Options& options)
    : memory_limit_(memory_for_states(options)),
      limits_stale_(options.memory_model == MemoryModel::c11 && options.max_stale != unbounded) {}

std::string HbCacheRules::note() const {
  if (!(shared_ != nullptr ? shared_->was_full() : was_full_)) return {};
  return fmt::format(
      "the memory for states was full after {} of them: from there on less was pruned, and nothing was lost",
      number_text(shared_ != nullptr ? shared_->size() : table_.size()));
}

std::unique_ptr<Strategy> make_hb_cache(const Options& options) {
  return std::make_unique<FrontierSearch<HbCacheRules>>(options.max_preemptions, HbCacheRules(options));
}

}  // namespace hocket
