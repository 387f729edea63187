#include "child_report.hpp"

#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/terms/utf8.hpp"
#include "scheduler/options/option_values.hpp"
#include "scheduler/report/other_jobs.hpp"
#include "scheduler/schedules/whole_file.hpp"

#include "commands.hpp"
#include "tell.hpp"

namespace hocket::tool {

namespace fs = std::filesystem;

namespace {

constexpr const char* kVariable = "HOCKET_REPORT";
constexpr const char* kReportFile = "report.json";
constexpr std::size_t kRoom = 4096;  ///< which a report may well need

[[noreturn]] void refuse(const std::string& file, const std::string& reason) {
  throw UsageError("the report cannot be written to " + file + " (" + reason + "); name another file");
}

}  // namespace

ChildReport::ChildReport() {
  if (const char* asked = std::getenv(kVariable); asked != nullptr) {
    wanted_ = report_of_shard(asked);
    const bool is_of_job = std::getenv(OtherJobs::kVariable) != nullptr;  // whose report nobody looks for
    if (wanted_ != asked && !is_of_job) tell("the report of this shard is " + utf8::printable(wanted_));
  }
  if (!wanted_.empty()) {
    if (!may_be_replaced(wanted_, "{\"hocket_report\": 1"))
      throw UsageError(wanted_ + " is another file than a report, and stays; name another file");
    const fs::path folder = fs::absolute(wanted_).parent_path();
    if (fs::is_directory(wanted_)) refuse(wanted_, "it is a folder");
    if (!fs::is_directory(folder)) refuse(wanted_, "there is no folder " + folder.string());
  }
  const fs::path named = folder_.path() / kReportFile;
  written_ = report_of_shard(named.string());  // the program's name for it
  try {
    replace_file(written_, std::string(kRoom, ' '), file_steps::Outlives::processes);
    fs::remove(written_);
  } catch (const std::system_error& error) {
    throw UsageError("no report can be written in " + folder_.path().string() + " (" +
                     error.code().message() + "); set TMPDIR to a folder that can be written to");
  }
  ::setenv(kVariable, named.c_str(), 1);
}

std::vector<ReportedSearch> ChildReport::searches() {
  const std::string text = text_of(fs::exists(written_) ? written_ : (folder_.path() / kReportFile).string());
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
      searches.push_back(outcome_of(search));
    }
  } catch (const nlohmann::json::exception&) {
    throw UsageError(
        "the test program's report makes no sense; was it built with another version of Hocket?");
  }
  return searches;
}

}  // namespace hocket::tool
