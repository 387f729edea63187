#include "child_report.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "scheduler/schedules/whole_file.hpp"

#include "commands.hpp"

namespace hocket::tool {

namespace fs = std::filesystem;

namespace {

constexpr const char* kVariable = "HOCKET_REPORT";

[[noreturn]] void refuse(const std::string& file, const std::string& reason) {
  throw UsageError("the report cannot be written to " + file + " (" + reason + "); name another file");
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

ChildReport::ChildReport() {
  if (const char* asked = std::getenv(kVariable); asked != nullptr) wanted_ = asked;
  if (!wanted_.empty()) {
    const fs::path folder = fs::absolute(wanted_).parent_path();
    if (fs::is_directory(wanted_)) refuse(wanted_, "it is a folder");
    if (!fs::is_directory(folder)) refuse(wanted_, "there is no folder " + folder.string());
  }
  std::string pattern = (fs::temp_directory_path() / "hocket-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) refuse(pattern, std::generic_category().message(errno));
  folder_ = pattern;
  ::setenv(kVariable, (folder_ / "report.json").c_str(), 1);
}

ChildReport::~ChildReport() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::vector<ReportedSearch> ChildReport::searches() {
  const std::string text = text_of(folder_ / "report.json");
  if (text.empty()) return {};
  if (!wanted_.empty()) {
    if (!fs::exists(wanted_) || fs::is_regular_file(wanted_)) {
      try {
        replace_file(wanted_, text);
      } catch (const std::system_error& error) {
        refuse(wanted_, error.code().message());
      }
    } else if (!(std::ofstream(wanted_) << text << std::flush)) {  // /dev/stdout, a pipe
      refuse(wanted_, "it takes no text");
    }
  }
  std::vector<ReportedSearch> searches;
  try {
    const auto report = nlohmann::json::parse(text);
    for (const auto& search : report.at("searches")) {
      searches.push_back({search.at("test").get<std::string>(), search.at("verdict").get<std::string>()});
    }
  } catch (const nlohmann::json::exception&) {
    throw UsageError(
        "the test program's report makes no sense; was it built with another version of Hocket?");
  }
  return searches;
}

}  // namespace hocket::tool
