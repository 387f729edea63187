// A failure in the formats of other programs. Each function reads what the document of the failure says.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "scheduler/schedules/schedule.hpp"

namespace hocket::tool {

/// The step with this number, or the entry for several that it is among.
const nlohmann::ordered_json& step_of(const nlohmann::ordered_json& document, std::size_t number);

/// "atomic.load queue.top → 3"
std::string step_text(const nlohmann::ordered_json& step);

/// A path as a relative reference (RFC 3986).
std::string uri_of(const std::string& path);

/// For an issue tracker: as `hocket show` prints it, with nothing in it that counts as markup.
std::string as_markdown(const Schedule& schedule, const nlohmann::ordered_json& document);

/// A document, and where the files are that it names.
struct WithSources {
  nlohmann::ordered_json document;
  std::map<std::string, std::filesystem::path> files;
};

/// SARIF 2.1.0, for GitHub's code scanning and editors: a result for each failure, with a flow for each
/// thread. All in one run, as GitHub refuses several of the same tool.
std::string as_sarif(const std::vector<WithSources>& failures);

/// A command that GitHub finds in the log of a job: it shows the failure at the line of the source.
std::string as_github(const WithSources& failure);

/// Trace Event JSON, for Perfetto: a slice for each step, an arrow for each order between threads.
std::string as_trace(const nlohmann::ordered_json& document);

/// A log for ShiViz, for which each line has a vector clock.
std::string as_shiviz(const nlohmann::ordered_json& document);

/// A graph for Graphviz: the steps that `hocket show` prints, in the order that every schedule with this
/// outcome has.
std::string as_dot(const nlohmann::ordered_json& document);

}  // namespace hocket::tool
