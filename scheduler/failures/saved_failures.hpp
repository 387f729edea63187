// Failures that were saved to files by an earlier search.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../process/fresh_start.hpp"
#include "../replays/exploration.hpp"
#include "../schedules/schedule.hpp"

namespace hocket {

/// Replays the failures that were saved for this test, before the search, and reports those that fail again.
/// A file that cannot be read is left alone, with a warning.
void follow_saved_failures(Exploration& exploration);

/// Moves the files of saved failures that a search has shown not to come any more into the folder "fixed"
/// beside them, where they are not tried again. Returns a sentence without a full stop for each.
std::vector<std::string> set_aside_fixed_failures(const Exploration& exploration);

/// Replays the schedule file Options::replay, comparing every step, and completes the file if a crash handler
/// wrote it. Throws ScheduleError.
void follow_file(Exploration& exploration);

/// The schedule that a process has saved when it died, if it can be read.
std::optional<Schedule> schedule_of(const fresh_start::Ending& ending);

/// Reports the death in the search of this test that was the reason for a fresh start. Completes its
/// schedule, if there is one, by following it until the last step.
void report_death(
    Exploration& exploration, const fresh_start::Ending& ending, std::optional<Schedule> schedule);

}  // namespace hocket
