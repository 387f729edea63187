// A failing path as a schedule: so it is shown, saved and replayed like a failing execution.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../scheduler/schedules/schedule.hpp"
#include "../api/options.hpp"
#include "../api/report.hpp"

namespace hocket::model {

/// What changed in a state, as text: the parts of `after` that differ from those of `before`. Parts are
/// lines, or what commas separate outside of brackets.
std::string changes(const std::string& before, const std::string& after);

/// The schedule has a thread for each process and a step for each step of the path.
Schedule to_schedule(const Report& report, const Violation& violation, const Options& options);

/// Saves the paths of all violations that are not saved yet. A path that cannot be saved says why.
void save_paths(Report& report, const Options& options);

}  // namespace hocket::model
