// The reports of all shards of searches as one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../api/report.hpp"

namespace hocket {

/// What read_search_report() has read.
struct ShardReport {
  std::string file;
  nlohmann::ordered_json json;
};

/// Whether something is wrong, by the entry of a search in a report file.
inline bool has_failed(const nlohmann::ordered_json& search) {
  const std::string verdict = search.value("verdict", "");
  return verdict == "failed" || verdict == "nondeterministic";
}

/// What all shards of a search have found together.
struct WholeSearch {
  nlohmann::ordered_json json;  ///< as a report file has it
  std::optional<Report>
      report;  ///< the same without failures; none: the search is not split, and this is its worst
};

/// What is known of shards beside their reports.
struct ShardsRun {
  std::string lack = {};                ///< why some are missing, as Report::stopped_by; empty: nobody knows
  bool in_turn = false;                 ///< and not all at the same time, so that their seconds add up
  bool are_named = true;                ///< people know which shards there are
  bool share_classes = false;           ///< each class is counted by one of them, and they list none
  std::uint64_t executions_before = 0;  ///< that were run before the search was split
};

/// In the order in which the first report has them. Throws std::invalid_argument if reports do not fit
/// together.
std::vector<WholeSearch> whole_searches(std::vector<ShardReport> reports, const ShardsRun& run = {});

/// The searches as a report file.
std::string text_of_report(const std::vector<WholeSearch>& searches);

/// The search for people, without its failures.
std::string to_text(const WholeSearch& search);

/// The beginning of a failure in a report, and the file that has its schedule.
std::string text_of_failure(const nlohmann::ordered_json& failure);

}  // namespace hocket
