#include "sources.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "scheduler/schedules/utf8.hpp"

namespace hocket::tool {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 200'000;     // of folders
constexpr std::uintmax_t kMostBytes = 4U << 20U;  // of a file
constexpr std::size_t kMostColumns = 200;
constexpr long kAround = 3;  // lines before and after a place

using Places = std::map<std::string, std::set<long>>;  // lines of files

void add_place(Places& places, const Json& json) {
  const auto at = json.find("at");
  if (at == json.end()) return;
  const std::string& place = at->get_ref<const std::string&>();
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos) return;
  const long line = std::strtol(place.c_str() + colon + 1, nullptr, 10);
  if (line > 0) places[place.substr(0, colon)].insert(line);
}

Places places_of(const Json& document) {
  Places places;
  for (const Json& step : document.at("steps")) {
    add_place(places, step);
    if (!step.contains("notes")) continue;
    for (const Json& note : step["notes"]) add_place(places, note);
  }
  for (const Json& stack : document.at("stacks")) {
    for (const Json& frame : stack.at("frames")) add_place(places, frame);
  }
  return places;
}

/// Where the files are. A name that more than one file has stands for none.
std::map<std::string, fs::path> find(const Places& places, const std::vector<std::string>& folders) {
  std::map<std::string, fs::path> found;
  std::size_t entries = 0;
  for (const std::string& folder : folders) {
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      if (++entries > kMostEntries) return found;
      const std::string name = entry->path().filename().string();
      std::error_code ignored;
      if (entry->is_directory(ignored)) {
        if (name.starts_with('.')) entry.disable_recursion_pending();
        continue;
      }
      if (!places.contains(name) || !entry->is_regular_file(ignored)) continue;
      const auto [at, is_new] = found.emplace(name, entry->path());
      if (!is_new && !at->second.empty() && !fs::equivalent(at->second, entry->path(), ignored))
        at->second.clear();
    }
  }
  return found;
}

std::map<std::string, fs::path> found_once(const Places& places, const std::vector<std::string>& folders) {
  std::map<std::string, fs::path> found = find(places, folders);
  std::erase_if(found, [](const auto& file) { return file.second.empty(); });
  return found;
}

Json lines_around(const fs::path& file, const std::set<long>& places) {
  std::error_code error;
  if (fs::file_size(file, error) > kMostBytes || error) return Json::object();
  std::set<long> wanted;
  for (const long line : places) {
    for (long n = line - kAround; n <= line + kAround; ++n) wanted.insert(n);
  }
  Json lines = Json::object();
  std::ifstream in(file);
  std::string text;
  for (long n = 1; std::getline(in, text); ++n) {
    if (!wanted.contains(n)) continue;
    if (text.ends_with('\r')) text.pop_back();
    std::string spaced;
    for (const char c : text) c == '\t' ? spaced += "  " : spaced += c;
    lines[std::to_string(n)] = utf8::shortened(utf8::printable(spaced), kMostColumns);
  }
  return lines;
}

}  // namespace

std::map<std::string, fs::path> source_files(const Json& document, const std::vector<std::string>& folders) {
  return found_once(places_of(document), folders);
}

Json sources_of(const Json& document, const std::vector<std::string>& folders) {
  const Places places = places_of(document);
  Json sources = Json::object();
  for (const auto& [name, file] : found_once(places, folders)) {
    Json lines = lines_around(file, places.at(name));
    if (!lines.empty()) sources[name] = std::move(lines);
  }
  return sources;
}

}  // namespace hocket::tool
