// The rules of iterative context bounding, for the strategies that build on it.
#pragma once

#include "frontier_search.hpp"

namespace hocket {

/// The price of an execution is the sum of the prices of its choices: its preemptions.
struct IcbRules : FrontierRules {
  static constexpr bool has_bounds = true;

  void branch(
      const runtime::ChoiceLog& log, std::uint32_t position, unsigned bound, std::vector<Child>& children) {
    const runtime::LogEntry& entry = log.entries[position];
    const bool is_forced = entry.kind == runtime::LogEntry::narrow && (entry.what & (entry.what - 1)) == 0;
    if (is_forced) return;  // as at most positions
    log.for_each_candidate(entry, [&](const runtime::Candidate& candidate) {
      if (candidate.code == entry.code) return;
      children.push_back({position, candidate.code, entry.check, bound + candidate.price});
    });
  }
};

}  // namespace hocket
