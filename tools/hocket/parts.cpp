#include "parts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <spdlog/fmt/fmt.h>

#include "scheduler/api/number_text.hpp"
#include "scheduler/options/option_values.hpp"
#include "scheduler/process/interrupt.hpp"
#include "scheduler/process/status_line.hpp"
#include "scheduler/report/whole_searches.hpp"

#include "temporary_folder.hpp"
#include "whole_verdict.hpp"

namespace hocket::tool {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

namespace {

/// The files of the process that runs a part.
struct FilesOfPart {
  std::string report;  ///< as it is told to the process
  std::string output;
  std::string errors;

  FilesOfPart(const fs::path& folder, unsigned number) {
    const std::string name = (folder / fmt::format("part-{}", number)).string();
    report = name + ".json";
    output = name + ".out";
    errors = name + ".err";
  }
  void remove() const {
    std::error_code ignored;
    for (const std::string& file : {report_of_shard(report), output, errors}) fs::remove(file, ignored);
  }
};

/// The program as what the words of a shell begin with run. On another machine this process's folder and its
/// variables may be other ones.
Program launched(Program program, const std::string& launch) {
  std::vector<std::string> words{
      "sh", "-c", "exec " + launch + " \"$@\"", "sh", "env", "-C", fs::current_path().string()};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (text.starts_with("HOCKET_") || text.starts_with("GTEST_")) words.emplace_back(text);
  }
  words.push_back(fs::read_symlink("/proc/self/exe").string());
  words.insert(words.end(), program.words.begin() + 1, program.words.end());
  return {"/bin/sh", std::move(words), std::move(program.output), std::move(program.errors)};
}

Program program_of(
    const RunCommand& command, const Options& options, const PartsToRun& parts, unsigned number) {
  const FilesOfPart files(parts.folder, number);
  Program program{"/proc/self/exe", {}, files.output, files.errors};
  std::vector<std::string>& words = program.words;
  words = {std::getenv("HOCKET_COMMAND"), "run", fmt::format("--shard={}/{}", number, parts.count),
      "--report=" + files.report};
  if (const std::uint64_t most = options.max_executions; most != 0)
    words.push_back(
        fmt::format("--executions={}", most / parts.count + (number <= most % parts.count ? 1 : 0)));
  if (!command.test.empty()) words.push_back("--test=" + command.test);
  words.insert(words.end(), {"--", command.binary});
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  if (!parts.launch.empty()) return launched(std::move(program), parts.launch);
  return program;
}

/// Reads the files that the process has left, and removes them.
PartRun part_of(const PartsToRun& parts, unsigned number, const ProgramEnd& end) {
  const FilesOfPart files(parts.folder, number);
  PartRun part{number, parts.jobs, end, text_of(files.output), text_of(files.errors)};
  std::ifstream in(report_of_shard(files.report));
  Json report = read_search_report(in);
  const bool is_by_itself = end.error == 0 && end.signal == 0 && !end.was_told_to_end;
  if (report.is_null() && !parts.launch.empty() && is_by_itself && end.status != kBad) {
    part.errors += fmt::format(
        "hocket: \"{}\" ended with status {} and has not run part {}\n", parts.launch, end.status, number);
    part.end.status = kBad;
  }
  if (!report.is_null()) {
    for (Json& search : report["searches"]) {
      const bool has_ended = search.is_object() && search.value("verdict", "") != "did not end";
      part.has_broken_off |= !has_ended;
      if (has_ended) part.searches.push_back(std::move(search));
    }
  }
  files.remove();
  return part;
}

/// On a terminal, a line that says how far the parts are.
class LineOfParts {
 public:
  LineOfParts(std::size_t of_others, const PartsToRun& parts)
      : done_(of_others), count_(parts.count), jobs_(parts.jobs) {}

  void note_end() {
    ++done_;
    ++run_;
  }
  void show() {
    const Clock::time_point now = Clock::now();
    if (!line_.is_on_terminal() || !line_.is_due(now)) return;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    std::string text = fmt::format("{} {}, {} of {} parts are done, {}", jobs_,
        jobs_ == 1 ? "job searches" : "jobs search", done_, count_, duration_text(seconds));
    if (run_ > jobs_)  // the others take as long, as far as one can know
      text += fmt::format(", about {} left",
          duration_text(seconds * static_cast<double>(count_ - done_) / static_cast<double>(run_)));
    line_.show(text, now);
  }

 private:
  StatusLine line_;
  std::size_t done_;
  std::size_t run_ = 0;  ///< by this process
  std::size_t count_;
  unsigned jobs_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

int PartRun::status() const {
  if (end.error != 0) return kBad;
  return end.signal != 0 ? kStopped : end.status;
}

bool PartRun::is_to_be_shown() const {
  if (status() != kFailed) return status() == kBad;
  bool says_report = false;
  for (const Json& search : searches) {
    if (!has_failed(search)) continue;
    says_report = true;
    const Json failures = search.value("failures", Json::array());
    const bool is_saved = failures.empty() || !failures.front().value("schedule_file", "").empty();
    if (!search.contains("shard") || !is_saved) return true;
  }
  return !says_report;
}

bool PartRun::is_whole() const {
  if (end.signal != 0 || end.was_told_to_end || status() == kBad || has_broken_off) return false;
  const auto any = [&](auto holds) { return std::any_of(searches.begin(), searches.end(), holds); };
  if (any([](const Json& search) { return is_interruption(search.value("stopped_by", "")); })) return false;
  // A signal may also have come between two searches.
  return end.status != kStopped ||
         any([](const Json& search) { return search.value("verdict", "") == "stopped"; });
}

void check_launch(const std::string& words) {
  if (words.find_first_of(";&|#\n") != std::string::npos)
    throw UsageError("--launch takes one command with its options; put anything else into a script");
}

QueueEnd run_parts(const RunCommand& command, const Options& options, const PartsToRun& parts,
    const std::function<void(PartRun)>& ended) {
  LineOfParts line(parts.count - parts.numbers.size(), parts);
  std::size_t begun = 0;
  bool is_bad = false;
  ProgramQueue queue{parts.jobs, {}, {}};
  queue.deadline = parts.deadline;
  queue.meanwhile = [&] { line.show(); };
  queue.next = [&]() -> std::optional<Program> {
    if (is_bad || begun == parts.numbers.size()) return std::nullopt;
    return program_of(command, options, parts, parts.numbers[begun++]);
  };
  queue.ended = [&](std::size_t n, const ProgramEnd& end) {
    PartRun part = part_of(parts, parts.numbers[n], end);
    is_bad |= part.status() == kBad;
    line.note_end();
    ended(std::move(part));
  };
  return run_programs(queue);
}

}  // namespace hocket::tool
