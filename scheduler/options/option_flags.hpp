// Options as command-line flags, for test programs and for the `hocket` command. This header includes CLI11,
// so only source files include it.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "option_table.hpp"

namespace hocket {

/// Adds `option` to `app` under the name `flag`. If it is given more than once, the last one counts.
inline CLI::Option* add_flag(CLI::App& app, const OptionInfo& option, const std::string& flag) {
  const std::string& help = option.help;
  if (option.is_switch()) return app.add_flag(flag, help)->take_last();
  return app.add_option(flag, help)->type_name(std::string(option.value))->take_last();
}

/// The text that the user gave as the value of `flag`, which was given; "true" for a switch without a value.
inline std::string text_of(const CLI::Option& flag) {
  return flag.results().back();
}

}  // namespace hocket
