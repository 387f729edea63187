// What a reader of a report must know beside the verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../api/options.hpp"
#include "../strategies/strategy.hpp"

namespace hocket {

/// On threads from before the search, which are not under control; empty: there are none.
std::string note_on_uncontrolled_threads();

/// On what the executions of a search did not cover, or at which price, of which `strategy` ran the last.
/// `left_out_unfair`: schedules that are not fair were left out. `cut_at_limit`: so many executions were
/// unfair at the step limit.
std::vector<std::string> notes_on_coverage(
    const Strategy& strategy, const Options& options, bool left_out_unfair, std::uint64_t cut_at_limit);

}  // namespace hocket
