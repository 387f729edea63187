// Exports that are JSON: SARIF and Trace Event.
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hocket/version.h>

#include <spdlog/fmt/fmt.h>

#include "document_parts.hpp"
#include "exports.hpp"

namespace hocket::tool {

namespace {

using Json = nlohmann::ordered_json;
using Files = std::map<std::string, std::filesystem::path>;

/// Files below the current folder, such as the root of a repository, are called by their path from there.
std::string path_from_here(const std::filesystem::path& file) {
  const std::filesystem::path path = std::filesystem::absolute(file).lexically_normal();
  const std::filesystem::path from_here = path.lexically_relative(std::filesystem::current_path());
  return (from_here.empty() || *from_here.begin() == ".." ? path : from_here).generic_string();
}

/// The path and the line of `place` ("file.cpp:12").
std::optional<std::pair<std::string, long>> found_place(const Files& files, const std::string& place) {
  const std::size_t colon = place.rfind(':');
  const long line = colon == std::string::npos ? 0 : std::strtol(place.c_str() + colon + 1, nullptr, 10);
  if (line <= 0) return std::nullopt;
  const std::string name = place.substr(0, colon);
  const auto file = files.find(name);
  return std::pair(file == files.end() ? name : path_from_here(file->second), line);
}

/// Where `place` is, for SARIF, with a message; a place that is not known has the message alone.
Json location(const Files& files, const std::string& place, const std::string& message) {
  Json json = Json::object();
  if (const auto found = found_place(files, place); found) {
    json["physicalLocation"] = {
        {"artifactLocation", {{"uri", uri_of(found->first)}}}, {"region", {{"startLine", found->second}}}};
  }
  if (!message.empty()) json["message"] = {{"text", message}};
  return json;
}

std::string joined(const Json& lines) {
  std::string text;
  for (const Json& line : lines) text += (text.empty() ? "" : "\n") + line.get<std::string>();
  return text;
}

/// The steps that `hocket show` prints, in a flow for each thread: consumers refuse results of very many
/// steps.
Json thread_flows(const Json& document, const Files& files) {
  std::map<std::size_t, Json> flows;
  for (const Json& range : document["shown"]) {
    for (std::size_t n = range[0]; n <= range[1].get<std::size_t>(); ++n) {
      const Json& step = step_of(document, n);
      const std::string text =
          step_text(step) + (step.contains("fails") ? ". " + step["fails"].get<std::string>() : "");
      Json one{{"location", location(files, step.value("at", ""), text)}, {"executionOrder", n}};
      if (step.contains("fails")) one["importance"] = "essential";
      flows.try_emplace(step["thread"], Json::array()).first->second.push_back(std::move(one));
    }
  }
  Json result = Json::array();
  for (auto& [thread, locations] : flows)
    result.push_back({{"id", document["threads"][thread]["thread"]}, {"locations", std::move(locations)}});
  return result;
}

Json stacks(const Json& document, const Files& files) {
  Json result = Json::array();
  for (const Json& stack : document["stacks"]) {
    Json frames = Json::array();
    for (const Json& frame : stack["frames"])
      frames.push_back({{"location", location(files, frame.value("at", ""), frame["function"])}});
    result.push_back({{"message", {{"text", stack["stack"]}}}, {"frames", std::move(frames)}});
  }
  return result;
}

/// Where the failure is, or the nearest place that is known. Empty if none is.
std::string place_of(const Json& document) {
  if (std::string where = document.value("where", ""); where.rfind(':') != std::string::npos) return where;
  for (const Json& stack : document["stacks"])
    for (const Json& frame : stack["frames"])
      if (frame.contains("at")) return frame["at"];
  for (auto step = document["steps"].rbegin(); step != document["steps"].rend(); ++step)
    if (step->contains("at")) return (*step)["at"];
  return {};
}

/// With `characters` as the log commands of GitHub want them: %0A for the end of a line.
std::string escaped_for_log(const std::string& text, std::string_view characters) {
  std::string out;
  for (const char c : text) {
    if (characters.find(c) == std::string_view::npos)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace

std::string uri_of(const std::string& path) {
  constexpr std::string_view kPlain = "-._~/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte) != 0) || kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      (uri += '%') += kDigits[byte >> 4U];
      uri += kDigits[byte & 15U];
    }
  }
  return uri;
}

std::string as_sarif(const std::vector<WithSources>& failures) {
  Json results = Json::array();
  std::map<std::string, Json> rules;
  for (const auto& [document, files] : failures) {
    std::string rule = document["failure"];
    for (char& c : rule) c = c == ' ' ? '-' : c;
    rules[rule] = {{"id", rule}, {"shortDescription", {{"text", document["failure"]}}}};
    Json result{{"ruleId", rule}, {"level", "error"},
        {"message", {{"text", document["test"].get<std::string>() + ": " + joined(document["headline"])}}}};
    const std::string place = place_of(document);  // GitHub refuses a file in which a result has none
    result["locations"] = {location(files, place.empty() ? "unknown:1" : place, "")};
    if (Json flows = thread_flows(document, files); !flows.empty())
      result["codeFlows"] = {
          {{"message", {{"text", joined(document["words"])}}}, {"threadFlows", std::move(flows)}}};
    if (!document["stacks"].empty()) result["stacks"] = stacks(document, files);
    results.push_back(std::move(result));
  }
  Json driver{{"name", "Hocket"}, {"semanticVersion", HOCKET_VERSION}, {"rules", Json::array()}};
  for (auto& [id, rule] : rules) driver["rules"].push_back(std::move(rule));
  const Json sarif{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"},
      {"runs", {{{"tool", {{"driver", std::move(driver)}}}, {"columnKind", "unicodeCodePoints"},
                   {"results", std::move(results)}}}}};
  return sarif.dump(1) + "\n";
}

std::string as_github(const WithSources& failure) {
  std::string command = "::error title=" + escaped_for_log(failure.document["test"], ":,%\r\n");
  if (const auto place = found_place(failure.files, place_of(failure.document)); place)
    command += ",file=" + escaped_for_log(place->first, ":,%\r\n") + ",line=" + std::to_string(place->second);
  return command + "::" + escaped_for_log(joined(failure.document["headline"]), "%\r\n") + "\n";
}

std::string as_trace(const Json& document) {
  constexpr int kStep = 10;  // microseconds that a step seems to take
  Json events = Json::array();
  const auto event = [&](const char* phase, std::size_t thread, std::size_t time,
                         const std::string& name) -> Json& {
    events.push_back({{"name", name}, {"ph", phase}, {"pid", 1}, {"tid", thread + 1}, {"ts", time}});
    return events.back();
  };
  event("M", 0, 0, "process_name")["args"] = {{"name", document["test"]}};
  for (std::size_t thread = 0; thread < document["threads"].size(); ++thread)
    event("M", thread, 0, "thread_name")["args"] = {{"name", document["threads"][thread]["thread"]}};
  std::size_t flows = 0;
  const auto arrow = [&](std::size_t from, std::size_t to, const std::string& why) {
    const Json& before = step_of(document, from);
    const Json& after = step_of(document, to);
    ++flows;
    Json& begin = event("s", before["thread"], from * kStep + kStep / 2, why);
    begin["cat"] = "order";
    begin["id"] = flows;
    Json& end = event("f", after["thread"], to * kStep + 1, why);
    end["cat"] = "order";
    end["id"] = flows;
    end["bp"] = "e";  // it ends in the slice around it
  };
  for (const Json& step : document["steps"]) {
    if (step.contains("left_out")) continue;
    const std::size_t time = step["step"].get<std::size_t>() * kStep;
    Json& slice = event("X", step["thread"], time, step_text(step));
    slice["dur"] = kStep;
    slice["cat"] = step.contains("fails") ? "failure" : "step";
    slice["args"] = step;
    for (const Json& before : step.value("after", Json::array())) arrow(before, step["step"], step["object"]);
  }
  for (const LifeEdge& edge : life_edges(document)) arrow(edge.from, edge.to, edge.why);
  return Json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}}.dump() + "\n";
}

}  // namespace hocket::tool
