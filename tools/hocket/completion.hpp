// The manual page of `hocket`, and what shells need to complete its command lines.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace hocket::tool {

/// A script for `shell`, "bash" or "zsh", with the commands and flags that `app` knows.
std::string completion(const CLI::App& app, const std::string& shell);

/// The manual page, for man: the commands and their flags as `app` knows them, and the flags and variables of
/// test programs. `version`: of Hocket.
std::string manual(const CLI::App& app, const std::string& version);

}  // namespace hocket::tool
