// `hocket run --jobs`: a search by several processes at the same time.
#pragma once

#include <string>

#include "commands.hpp"

namespace hocket::tool {

/// How many jobs `text` asks for: a number, or "auto" or "0" for the cores that this process may use. Throws
/// UsageError.
unsigned count_of_jobs(const std::string& text);

/// Carries out `command` with so many processes. Its options are in the environment already.
int run_jobs(const RunCommand& command, unsigned count);

}  // namespace hocket::tool
