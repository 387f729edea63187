// The verdict of the parts of a search, told as if one process had searched.
#pragma once

#include <string>
#include <vector>

#include "scheduler/api/options.hpp"
#include "scheduler/report/whole_searches.hpp"

#include "child_report.hpp"
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

}  // namespace hocket::tool
