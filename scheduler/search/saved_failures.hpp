// Failures that were saved to files by an earlier search.
#pragma once

#include "exploration.hpp"

namespace hocket {

/// Replays the failures that were saved for this test, before the search, and reports those that fail again.
/// A file that cannot be read is left alone, with a warning.
void follow_saved_failures(Exploration& exploration);

/// Replays the schedule file Options::replay, comparing every step, and completes the file if a crash handler
/// wrote it. Throws ScheduleError.
void follow_file(Exploration& exploration);

}  // namespace hocket
