// Pages of failures (--hocket_html), which the program `hocket` writes.
#pragma once

#include <string>
#include <vector>

#include "../api/report.hpp"

namespace hocket {

/// Has the page of each failure that is saved written into the folder that Settings name, if they name one,
/// and a list of all pages there. Where that does not succeed, warns in one sentence.
void write_failure_pages(const Report& report);

/// The same for the failures of `test` that are saved in `schedule_files`.
void write_failure_pages(const std::string& test, const std::vector<std::string>& schedule_files);

}  // namespace hocket
