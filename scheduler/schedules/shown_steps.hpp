// Which steps of a long schedule are shown: those around the failure, around each preemption, where a thread
// blocks, and those that the message names. The others are folded.
#pragma once

#include <cstddef>
#include <vector>

#include "schedule.hpp"

namespace hocket {

/// Choices of a schedule, counted from 0.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The choices to show, in order, with at least one choice between two ranges: at most `most` in all, or few
/// more, or all if `most` is 0.
std::vector<Range> shown_steps(const Schedule& schedule, std::size_t most);

/// A round of steps that comes again and again.
struct Repetition {
  std::size_t length = 0;  ///< of the round, in choices
  std::size_t rounds = 0;  ///< how often it comes, one after the other; 0 if nothing repeats
};

/// The round that the choices before `end` repeat.
Repetition repetition_before(const Schedule& schedule, std::size_t end);
/// The round that begins at `begin` and is repeated from there on, but not beyond `end`. A long round counts
/// as none.
Repetition repetition_from(const Schedule& schedule, std::size_t begin, std::size_t end);

/// Whether choice `n` switched away from a thread that was enabled and had not just yielded.
bool is_preemption(const Schedule& schedule, std::size_t n);

/// The last step before choice `n` that is a step and no value.
std::size_t step_before(const Schedule& schedule, std::size_t n);

/// Whether it chooses a store that is not the newest one.
bool is_stale(const runtime::RecordedChoice& choice);

/// The choice at which the schedule fails: the one marked in the trace, or else the last one.
std::size_t failing_choice(const Schedule& schedule);

}  // namespace hocket
