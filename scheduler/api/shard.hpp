// A part of a search: several processes, on any machines, each run one, and `hocket merge` joins their
// reports.
#pragma once

#include <cstdint>
#include <vector>

#include "../../runtime/terms/action_hash.hpp"
#include "../../runtime/terms/sabotage.hpp"

namespace hocket {

/// Which part of a search is run.
struct Shard {
  static constexpr unsigned kMost = 100'000;  ///< shards of one search

  unsigned index = 1;  ///< from 1 to `count`
  unsigned count = 1;

  /// Whether this is the shard of what has this hash.
  [[nodiscard]] bool has(std::uint64_t hash) const {
    const unsigned shards =
        runtime::is_sabotaged(runtime::Sabotage::shards_leave_out_work) ? count + 1 : count;
    return hash % shards == index - 1;
  }
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// What a search has met in its shard. Each list has the classes that it met for the first time at bound 0,
/// 1, …; a strategy without bounds has one list.
struct ShardCoverage {
  using Classes = std::vector<std::vector<runtime::ClassHash>>;
  Classes passed;
  Classes failed;
  std::uint64_t others = 0;  ///< executions of other shards, which it ran since its own branch off from them
};

}  // namespace hocket
