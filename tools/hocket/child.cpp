#include "child.hpp"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <sched.h>
#include <spdlog/fmt/fmt.h>

#include <nlohmann/json.hpp>

#include "runtime/terms/utf8.hpp"
#include "scheduler/options/option_values.hpp"
#include "scheduler/process/program.hpp"
#include "scheduler/report/other_jobs.hpp"
#include "scheduler/schedules/whole_file.hpp"

#include "commands.hpp"

namespace hocket::tool {

void refuse_program(const std::string& binary, int error) {
  if (std::filesystem::is_directory(binary))
    throw UsageError("cannot run " + binary + ": it is a folder; name a program");
  throw UsageError(
      "cannot run " + binary + " (" + std::generic_category().message(error) + "); check the path");
}

void run_every_share() {
  for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) ::unsetenv(variable);
}

ProgramEnd run_child(const std::string& binary, const std::vector<std::string>& arguments, Output output) {
  std::vector<std::string> words{binary};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const ProgramEnd end = run_program(binary, std::move(words), output);
  if (end.error != 0) refuse_program(binary, end.error);
  return end;
}

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

unsigned count_of_jobs(const std::string& text) {
  unsigned count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && count <= kMostPrograms;
  if (text != "auto" && !is_number)
    throw UsageError(fmt::format(
        "--jobs: \"{}\" is not a number of jobs; give a number from 0 to {}, or auto", text, kMostPrograms));
  if (count != 0) return count;
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&cores));
}

}  // namespace hocket::tool
