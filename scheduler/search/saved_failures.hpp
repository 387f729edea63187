// Failures that were saved to files by an earlier search.
#pragma once

#include "exploration.hpp"

namespace hocket {

/// Runs the failures that were saved for this test, before anything is searched: those that fail again are
/// reported. A file that cannot be read is left alone, with a warning.
void follow_saved_failures(Exploration& exploration);

/// Runs the one schedule in Options::replay, every step compared, and completes the file if a crash handler
/// wrote it. Throws ScheduleError.
void follow_file(Exploration& exploration);

}  // namespace hocket
