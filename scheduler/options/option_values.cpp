#include "option_values.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/terms/choice.hpp"
#include "seals.hpp"

namespace hocket {

namespace {

[[noreturn]] void refuse(const std::string& text, std::string_view problem) {
  throw std::invalid_argument(fmt::format("\"{}\" {}", text, problem));
}

bool is_one_of(const std::string& text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

/// A number of `what`, or unbounded.
unsigned bound_from(const std::string& text, const char* what) {
  if (text == "unbounded") return unbounded;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == unbounded)
    refuse(text, fmt::format("is not a number of {}; write 0, 1, 2, … or unbounded", what));
  return number;
}

}  // namespace

std::chrono::nanoseconds duration_from(const std::string& text) {
  double number = -1;
  const char* const text_end = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), text_end, number, std::chars_format::fixed);
  const std::string unit(end, text_end);
  double seconds = -1;
  if (is_one_of(unit, {"", "s"})) seconds = number;
  if (unit == "ms") seconds = number / 1e3;
  if (is_one_of(unit, {"m", "min"})) seconds = number * 60;
  if (unit == "h") seconds = number * 3600;
  constexpr double kMost = 1e9;  // more nanoseconds would not fit
  if (error != std::errc{} || text.starts_with('-') || !(seconds >= 0) || seconds > kMost)
    refuse(text, "is not a duration; write 500ms, 30s, 5m or 1h");
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

std::optional<std::chrono::nanoseconds> time_for_all_tests_from(const std::string& text) {
  constexpr std::chrono::seconds kUsual(10);
  bool is_on = false;
  try {
    is_on = switch_from(text);
  } catch (const std::invalid_argument&) {
    return duration_from(text);
  }
  if (!is_on) return std::nullopt;
  return kUsual;
}

std::size_t bytes_from(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  constexpr unsigned kNoUnit = 64;
  unsigned shift = kNoUnit;
  if (unit.empty()) shift = 0;
  if (is_one_of(unit, {"K", "KiB"})) shift = 10;
  if (is_one_of(unit, {"M", "MiB"})) shift = 20;
  if (is_one_of(unit, {"G", "GiB"})) shift = 30;
  constexpr std::size_t kMost = std::size_t{1} << 62U;
  if (error != std::errc{} || shift == kNoUnit || number > kMost >> shift)
    refuse(text, "is not a number of bytes; write 65536, 64K, 512M or 2G");
  return number << shift;
}

unsigned preemptions_from(const std::string& text) {
  return bound_from(text, "preemptions");
}

unsigned stale_from(const std::string& text) {
  return bound_from(text, "older values");
}

Restore restore_from(const std::string& text) {
  if (text == "snapshot") return Restore::snapshot;
  if (text == "nothing") return Restore::nothing;
  if (text == "fork") return Restore::fork;
  refuse(text, "is not a way to restore; write snapshot, nothing or fork");
}

Timeouts timeouts_from(const std::string& text) {
  if (text == "hour") return Timeouts::hour;
  if (text == "any") return Timeouts::any;
  if (text == "late") return Timeouts::late;
  refuse(text, "does not say when timeouts may expire; write hour, any or late");
}

std::string seal_patterns_from(const std::string& text) {
  static_cast<void>(Seals(text, {}));  // refuses what is no pattern
  return text;
}

MemoryModel memory_model_from(const std::string& text) {
  if (text == "sc") return MemoryModel::sc;
  if (text == "c11") return MemoryModel::c11;
  refuse(text, "is no memory model; write sc or c11");
}

namespace {

/// The variables in which a batch system or a CI service says which of several equal jobs this is. (Those of
/// Bazel are not among them: it has GoogleTest run each test in one of its shards, so that no test would be
/// searched in all.)
struct JobVariables {
  const char* index;
  const char* count;        ///< nullptr: none says it
  unsigned first;           ///< the index of the first job
  const char* first_index;  ///< the variable that says it instead, or nullptr
};
constexpr std::array<JobVariables, 4> kJobs{{
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", 0, "SLURM_ARRAY_TASK_MIN"},  // --array=1-8
    {"CI_NODE_INDEX", "CI_NODE_TOTAL", 1, nullptr},                                // GitLab: parallel
    {"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0, nullptr},                        // CircleCI: parallelism
    {"JOB_COMPLETION_INDEX", nullptr, 0, nullptr},                                 // Kubernetes: Indexed
}};

/// `text`: "auto"; `count`: of all parts, as it was given, or nullptr.
Shard shard_of_this_job(const std::string& text, const char* count) {
  bool lacks_count = false;
  for (const JobVariables& job : kJobs) {
    const char* const index = std::getenv(job.index);
    const char* const told = job.count != nullptr ? std::getenv(job.count) : nullptr;
    const char* const all = count != nullptr ? count : told;
    lacks_count |= index != nullptr && job.count == nullptr;
    if (index == nullptr || all == nullptr) continue;
    const char* const first = job.first_index != nullptr ? std::getenv(job.first_index) : nullptr;
    const std::uint64_t least = first != nullptr ? number_from(first, 0, Shard::kMost) : job.first;
    const auto total = static_cast<unsigned>(number_from(all, 1, Shard::kMost));
    return {static_cast<unsigned>(number_from(index, least, least + total - 1) - least + 1), total};
  }
  if (lacks_count)
    refuse(
        text, "is not known here: JOB_COMPLETION_INDEX does not say how many jobs there are; write auto/5");
  std::string names;
  for (const JobVariables& job : kJobs) names += std::string(names.empty() ? "" : ", ") + job.index;
  refuse(text, "is known where one of these variables says which job this is, and none is set: " + names +
                   "; write 2/5");
}

}  // namespace

Shard shard_from(const std::string& text) {
  constexpr std::string_view kAuto = "auto";
  if (text == kAuto) return shard_of_this_job(text, nullptr);
  const std::size_t slash = text.find('/');
  if (slash == kAuto.size() && text.starts_with(kAuto))
    return shard_of_this_job(text, text.c_str() + slash + 1);
  if (slash == std::string::npos)
    refuse(text, "is no part of a search; write 2/5 for the second of five parts");
  try {
    const auto count = static_cast<unsigned>(number_from(text.substr(slash + 1), 1, Shard::kMost));
    return {static_cast<unsigned>(number_from(text.substr(0, slash), 1, count)), count};
  } catch (const std::invalid_argument&) {
    refuse(text, fmt::format("is no part of a search; write 2/5 for the second of five parts, of at most {}",
                     Shard::kMost));
  }
}

std::string report_of_shard(const std::string& file) {
  const char* const total = std::getenv("GTEST_TOTAL_SHARDS");
  const char* const index = std::getenv("GTEST_SHARD_INDEX");
  if (total == nullptr || index == nullptr || std::atoi(total) < 2) return file;
  const std::filesystem::path path(file);
  const std::string name = path.stem().string() + ".shard-" + std::to_string(std::atoi(index) + 1) + "-of-" +
                           std::to_string(std::atoi(total)) + path.extension().string();
  return (path.parent_path() / name).string();
}

bool are_volatiles_atomic(const std::string& text) {
  if (text == "plain") return false;
  if (text == "atomic") return true;
  refuse(text, "does not say what accesses to volatile variables are; write plain or atomic");
}

LogLevel log_level_from(const std::string& text) {
  if (text == "off") return LogLevel::off;
  if (text == "info") return LogLevel::info;
  if (text == "debug") return LogLevel::debug;
  refuse(text, "is no level; write off, info or debug");
}

bool switch_from(const std::string& text) {
  std::string word = text;
  std::transform(word.begin(), word.end(), word.begin(),
      [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  if (is_one_of(word, {"1", "true", "on", "yes", "enable", "t", "y"})) return true;
  if (is_one_of(word, {"0", "false", "off", "no", "disable", "f", "n"})) return false;
  refuse(text, "is neither true nor false; write 1 or 0");
}

Stop stop_from(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text != "0" && !text.empty() && std::all_of(text.begin(), text.end(), is_digit))
    return {true, number_from(text, 1, runtime::kMaxPositions)};
  try {
    return {switch_from(text), 0};
  } catch (const std::invalid_argument&) {
    refuse(text, "is not the number of a step, nor true nor false; write 12, as in the table of the report");
  }
}

std::uint64_t number_from(const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < least || number > most)
    refuse(text, fmt::format("is not a number from {} to {}", least, most));
  return number;
}

}  // namespace hocket
