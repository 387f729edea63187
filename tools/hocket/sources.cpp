#include "sources.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "runtime/platform/symbols/debug_info_program.hpp"
#include "runtime/terms/utf8.hpp"

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

using Files = std::map<std::string, fs::path>;  ///< by their names; empty: several files have the name

void add_file(Files& files, const std::string& name, const fs::path& path) {
  std::error_code ignored;
  const auto [at, is_new] = files.emplace(name, path);
  if (!is_new && !at->second.empty() && !fs::equivalent(at->second, path, ignored)) at->second.clear();
}

/// Whether a file with this name may be shown. A schedule file can come from somebody who wants to be sent
/// what is in other files, and names them.
bool is_name_of_source(const std::string& name) {
  static const std::set<std::string> kEndings{".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cu", ".cppm",
      ".ixx", ".m", ".mm", ".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".cuh", ".inc", ".inl", ".ipp", ".tcc",
      ".tpp", ".txx", ".def"};
  return !name.starts_with('.') && kEndings.contains(fs::path(name).extension().string());
}

/// Whether it is one of the standard library's headers, whose names have no ending.
bool is_standard_header(const fs::path& path) {
  const std::string text = path.string();
  return text.find("/include/c++/") != std::string::npos && !path.has_extension();
}

/// What hocket-debug-info prints of the program.
std::string paths_in_debug_info(const std::string& binary) {
  constexpr std::size_t kMostPrinted = std::size_t{16} << 20U;
  constexpr int kMilliseconds = 10'000;
  std::string text;
  runtime::platform::SocketProgram program;
  if (!runtime::platform::start_listing_sources(program, binary.c_str())) return text;
  program.end_questions();
  std::array<char, 4096> part{};
  for (std::size_t size = 0;
       (size = program.receive(part, kMilliseconds)) != 0 && text.size() < kMostPrinted;)
    text.append(part.data(), size);
  program.stop();
  return text;
}

/// The files from which the program was compiled, as far as they are there.
void add_files_of_binary(Files& found, const Places& places, const std::string& binary) {
  std::error_code error;
  if (!fs::is_regular_file(binary, error))
    throw UsageError("there is no program " + binary + "; check the path");
  std::istringstream paths(paths_in_debug_info(binary));
  for (std::string path; std::getline(paths, path);) {
    const std::string name = fs::path(path).filename().string();
    const bool is_source = is_name_of_source(name) || is_standard_header(path);
    if (places.contains(name) && is_source && fs::is_regular_file(path, error)) add_file(found, name, path);
  }
}

/// The files in the folders.
Files files_in(const Places& places, const std::vector<std::string>& folders) {
  Files found;
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
      const bool is_file = !entry->is_symlink(ignored) && entry->is_regular_file(ignored);
      if (!places.contains(name) || !is_file || !is_name_of_source(name)) continue;
      add_file(found, name, entry->path());
    }
  }
  return found;
}

Files found_once(Places places, const SourcePlaces& where) {
  Files found;
  if (!where.binary.empty()) add_files_of_binary(found, places, where.binary);
  for (const auto& [name, path] : found) places.erase(name);
  if (!places.empty()) found.merge(files_in(places, where.folders));
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

std::map<std::string, fs::path> source_files(const Json& document, const SourcePlaces& where) {
  return found_once(places_of(document), where);
}

Json sources_of(const Json& document, const SourcePlaces& where) {
  const Places places = places_of(document);
  Json sources = Json::object();
  for (const auto& [name, file] : found_once(places, where)) {
    Json lines = lines_around(file, places.at(name));
    if (!lines.empty()) sources[name] = std::move(lines);
  }
  return sources;
}

}  // namespace hocket::tool
