// Every option of a search, once. The flags and environment variables of test programs, the `hocket` command,
// its help and its manual page are made from this table. (In code the options are the fields of Options.)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../api/options.hpp"

namespace hocket {

struct Settings;

struct OptionInfo {
  std::string_view name;                ///< words separated by underscores: "pct_depth"
  std::string_view value = {};          ///< what help prints for the value: "N"; empty for a switch
  std::vector<std::string> words = {};  ///< the values, if there are few: what a shell offers
  std::string help;                     ///< a phrase without a full stop
  /// Sets the option to `text` as the user wrote it, or to "true" or "false" for a switch. Throws
  /// std::invalid_argument, whose what() names neither the option nor Hocket.
  void (*set)(const std::string& text, Options& options, Settings& settings);
  bool may_lack_value = false;   ///< the value may be left out; `text` is then "true"
  bool is_of_run = true;         ///< whether `hocket run` takes it
  bool is_of_replay = false;     ///< whether `hocket replay` takes it
  bool is_file_to_read = false;  ///< the value names a file that each search reads

  /// Whether it can be given without a value.
  [[nodiscard]] bool is_switch() const { return value.empty() || may_lack_value; }
  [[nodiscard]] std::string flag() const;          ///< for test programs: "--hocket_pct_depth"
  [[nodiscard]] std::string variable() const;      ///< in the environment: "HOCKET_PCT_DEPTH"
  [[nodiscard]] std::string command_flag() const;  ///< for the `hocket` command: "--pct-depth"
};

/// HOCKET_TEST, which is a variable only.
inline constexpr std::string_view kHelpOfTestVariable =
    "make only the searches of the tests whose names match this pattern, with * and ?";

/// In the order in which help lists them.
std::span<const OptionInfo> option_table();

/// "stratgy" for "--hocket-stratgy" and for "HOCKET_stratgy": a name without its dashes and what flags and
/// variables begin with.
std::string_view without_prefix(std::string_view name);

/// The option that somebody may have meant by `name`, which is none, or nullptr. `name` may have a prefix.
const OptionInfo* option_meant_by(std::string_view name);

/// Calls `option.set`. `called` is the name by which the user gave the option, for error messages. Throws
/// std::invalid_argument.
void set_option(const OptionInfo& option, std::string_view called, const std::string& text, Options& options,
    Settings& settings);

}  // namespace hocket
