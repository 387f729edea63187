// A failing path as a schedule: so it is shown, saved and replayed like a failing execution.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../scheduler/schedules/schedule.hpp"
#include "../api/options.hpp"
#include "../api/report.hpp"

namespace hocket::model {

/// The parts of a state as text: lines, or what commas separate outside of brackets.
std::vector<std::string> parts_of(std::string_view text);

/// What changed in a state, as text: the parts of `after` that differ from those of `before`.
std::string changes(const std::string& before, const std::string& after);

/// The schedule has a thread for each process and a step for each step of the path.
Schedule to_schedule(const Report& report, const Violation& violation, const Options& options);

/// Saves the paths of all violations that are not saved yet. A path that cannot be saved says why.
void save_paths(Report& report, const Options& options);

/// Has the pages of the violations written that are saved, if that is asked for (--hocket_html).
void write_pages(const Report& report);

}  // namespace hocket::model
