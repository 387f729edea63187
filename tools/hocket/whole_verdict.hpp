// The verdict of the parts of a search, told as if one process had searched.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "scheduler/api/options.hpp"
#include "scheduler/report/whole_searches.hpp"

#include "child.hpp"
#include "commands.hpp"
#include "parts.hpp"

namespace hocket::tool {

/// In a failure of a part: the text of its schedule file, which is written again if the file is gone.
inline constexpr const char* kScheduleText = "schedule_text";

/// Prints what `parts` of the searches of the program have found together, writes the reports and pages that
/// were asked for, and removes schedule files that several parts have saved of one failure. Returns the exit
/// status of `hocket run`. Throws UsageError if the parts do not fit together.
int tell_verdict(const RunCommand& command, const Options& options, std::vector<PartRun> parts,
    const ShardsRun& run, ChildReport& report);

/// Reads a report, as --hocket_report writes it. Returns null if the text is something else, or not whole;
/// the elements of `searches` may still be of any type.
inline nlohmann::ordered_json read_search_report(std::istream& in) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(in, nullptr, false);
  const bool is_report = json.is_object() && json.value("hocket_report", nlohmann::ordered_json()) == 1 &&
                         json.contains("searches") && json["searches"].is_array();
  return is_report ? json : nullptr;
}

}  // namespace hocket::tool
