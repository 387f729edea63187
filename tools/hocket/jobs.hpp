// How many jobs a command has: processes that search at the same time.
#pragma once

#include <string>

namespace hocket::tool {

/// How many jobs `text` asks for: a number, or "auto" or "0" for the cores that this process may use. Throws
/// UsageError.
unsigned count_of_jobs(const std::string& text);

}  // namespace hocket::tool
