// Pages of failures (--hocket_html), which the program `hocket` writes.
#pragma once

#include "../api/report.hpp"

namespace hocket {

/// Has the page of each failure that is saved written into the folder that Settings name, if they name one,
/// and a list of all pages there. Where that does not succeed, warns in one sentence.
void write_failure_pages(const Report& report);

}  // namespace hocket
