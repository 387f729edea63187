// Parses the values of options as users write them. Each function throws std::invalid_argument with a phrase
// that says what is wrong with `text` and what to write instead.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../api/options.hpp"
#include "settings.hpp"

namespace hocket {

/// "500ms", "5s", "2m", "1h", or a number of seconds: "1.5".
std::chrono::nanoseconds duration_from(const std::string& text);

/// A duration, or what a switch may be: the usual time if it is on, and nothing if it is off.
std::optional<std::chrono::nanoseconds> time_for_all_tests_from(const std::string& text);

/// "64", "512K", "1M", "2G": a number of bytes, in powers of 1024.
std::size_t bytes_from(const std::string& text);

/// "0", "1", … or "unbounded".
unsigned preemptions_from(const std::string& text);

/// The same, for Options::max_stale.
unsigned stale_from(const std::string& text);

/// "snapshot", "nothing" or "fork".
Restore restore_from(const std::string& text);

/// "hour", "any" or "late".
Timeouts timeouts_from(const std::string& text);

/// Options::seal or Options::open: "Cache::get,log.cpp".
std::string seal_patterns_from(const std::string& text);

/// "sc" or "c11".
MemoryModel memory_model_from(const std::string& text);

/// "2/5": the second of five parts; "auto": the part that the environment of a batch system or a CI job
/// names; or "auto/5", where it does not say how many there are.
Shard shard_from(const std::string& text);

/// Where this process writes the report: shards of GoogleTest, which are given one name, write one file each,
/// such as report.shard-2-of-3.json.
std::string report_of_shard(const std::string& file);

/// "plain" or "atomic".
bool are_volatiles_atomic(const std::string& text);

/// "off", "info" or "debug".
LogLevel log_level_from(const std::string& text);

/// "1", "true", "on", "yes", "enable", "t" and "y", or "0", "false", "off", "no", "disable", "f" and "n", in
/// upper or lower case.
bool switch_from(const std::string& text);

/// A place to stop at.
struct Stop {
  bool is_wanted = false;
  std::uint64_t step = 0;  ///< counted from 1; 0: none is named
};

/// "12", the number of a step, or what a switch may be; but "1" is the first step.
Stop stop_from(const std::string& text);

/// A number from `least` to `most`.
std::uint64_t number_from(const std::string& text, std::uint64_t least, std::uint64_t most);

}  // namespace hocket
