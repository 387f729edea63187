// A failure as one JSON document: what `hocket show` prints, for programs, with what follows from it. It is
// described by docs/failure-document.schema.json. The page of `hocket report` shows nothing else.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "scheduler/schedules/schedule.hpp"

namespace hocket::tool {

inline constexpr int kDocumentFormat = 1;

/// `file` is what to call the schedule file in the command that replays it. Every text in the result is
/// printable.
nlohmann::ordered_json document_of(const Schedule& schedule, const std::string& file);

/// "Found by random with 5 preemptions after 119 executions, and made shorter."
std::string origin(const Schedule& schedule);

}  // namespace hocket::tool
