// The states of a model, for the document of a failing path.
#pragma once

#include <cstddef>

#include <nlohmann/json.hpp>

#include "scheduler/schedules/schedule.hpp"

namespace hocket::tool {

/// The states, and the steps between them if the file has these. Empty if the file has no states.
nlohmann::ordered_json states_of(const Schedule& schedule);

/// Sets to which state the step with this index leads, and which parts of the state change. Does nothing if
/// the file has no states.
void add_state(nlohmann::ordered_json& step, const Schedule& schedule, std::size_t n);

}  // namespace hocket::tool
