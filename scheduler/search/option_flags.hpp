// Options as flags of a command line: for the flags of test programs, and for those of the `hocket` command.
// It is about CLI11, so only sources include it.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "option_table.hpp"

namespace hocket {

/// Adds `option` to `app` under the name `flag`. Where it is given more than once, the last one counts.
inline CLI::Option* add_flag(CLI::App& app, const OptionInfo& option, const std::string& flag) {
  const std::string& help = option.help;
  if (option.is_switch()) return app.add_flag(flag, help)->take_last();
  return app.add_option(flag, help)->type_name(std::string(option.value))->take_last();
}

/// What the person wrote as the value of `flag`, which was given; "true" for a switch without a value.
inline std::string text_of(const CLI::Option& flag) {
  return flag.results().back();
}

}  // namespace hocket
