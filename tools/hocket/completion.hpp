// What shells need to complete command lines of `hocket`.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace hocket::tool {

/// A script for `shell`, "bash" or "zsh", with the commands and flags that `app` knows.
std::string completion(const CLI::App& app, const std::string& shell);

}  // namespace hocket::tool
