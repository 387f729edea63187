// The file that --hocket_report writes.
#pragma once

#include <istream>

#include <nlohmann/json.hpp>

namespace hocket::tool {

/// Reads such a report. Returns null if the text is something else, or not whole; the elements of `searches`
/// may still be of any type.
inline nlohmann::ordered_json read_search_report(std::istream& in) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(in, nullptr, false);
  const bool is_report = json.is_object() && json.value("hocket_report", nlohmann::ordered_json()) == 1 &&
                         json.contains("searches") && json["searches"].is_array();
  return is_report ? json : nullptr;
}

}  // namespace hocket::tool
