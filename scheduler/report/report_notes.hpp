// Notes for the reader of a report, in addition to the verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../api/options.hpp"
#include "../replays/exploration.hpp"
#include "../strategies/strategy.hpp"

namespace hocket {

/// What has stopped a search in which no execution came to its end, as in Report::stopped_by.
inline constexpr const char* kAllDropped = "assume(), which dropped every execution";

/// A note on threads from before the search, which are not under control; empty if there are none.
std::string note_on_uncontrolled_threads();

/// A note on executions of so many threads that had no choice; empty if that is as it should be.
std::string note_on_threads_without_steps(unsigned threads);

/// A note on the code that the check of the link warned of; empty if there is none.
std::string note_on_code_without_hooks();

/// "FILE:LINE" of a loop that retries; empty if it is not known.
std::string place_of_retry(const runtime::RetryLoops& loop);
/// A note on such loops, which were taken to yield.
std::string note_on_retries(const std::vector<std::string>& places);

/// A note on calls whose order matters and was not explored; empty if there were none.
std::string note_on_untracked_calls();
/// A note on executions that ended with their bodies while so many detached threads waited, at most; empty if
/// there were none.
std::string note_on_waiting_threads(unsigned threads, const Options& options);

/// A note on what the system keeps and bodies have changed without its being put back; empty if there is
/// nothing.
std::string note_on_what_was_left_changed();

/// A note on the failures that were not reported; empty if there were none.
std::string note_on_suppressed(const std::vector<Suppressed>& suppressed, const std::string& file);

/// A note on the patterns of seals that no step has matched; empty if there are none.
std::string note_on_unmatched(const Seals& seals);

/// Notes on what the executions of a search did not cover, or at which price. `strategy` is the last strategy
/// that the search used. `left_out_unfair`: schedules that are not fair were left out. `cut_at_limit`: the
/// number of executions that were unfair at the step limit.
std::vector<std::string> notes_on_coverage(
    const Strategy& strategy, const Options& options, bool left_out_unfair, std::uint64_t cut_at_limit);

/// Says once in a run of the program which of its instrumented sources have assertions that are compiled out,
/// if there are any. To be called before executions begin.
void warn_of_compiled_out_assertions();

}  // namespace hocket
