// The lines of --hocket_log about one search through schedules.
#pragma once

#include <string_view>

#include "../replays/exploration.hpp"
#include "../strategies/strategy.hpp"

namespace hocket::search_log {

/// What the search runs, in which order, up to which limits, under which memory model, and why.
void begins(const Exploration& exploration);
/// Everything found so far is discarded. `because` completes the sentence.
void begins_anew(const Exploration& exploration, std::string_view because);
/// The search has run all within `bound`, in `seconds`.
void bound_is_done(const Exploration& exploration, unsigned bound, double seconds);
void ends(const Exploration& exploration, double seconds);

}  // namespace hocket::search_log
