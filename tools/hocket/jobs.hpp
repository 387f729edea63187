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

/// Whether the strategy draws schedules without end.
bool is_sampling(const Options& options);

/// Throws UsageError if the search of a program that sets no options itself cannot be split `into` "parts".
/// `unless`: the option without which it need not be.
void check_that_it_can_be_split(const Options& options, const std::string& into, const std::string& unless);

}  // namespace hocket::tool
