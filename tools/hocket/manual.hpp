// The manual page of `hocket`.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace hocket::tool {

/// The manual page, for man: the commands and their flags as `app` knows them, and the flags and variables of
/// test programs. `version`: of Hocket.
std::string manual(const CLI::App& app, const std::string& version);

}  // namespace hocket::tool
