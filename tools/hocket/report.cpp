// `hocket report`: a failure as one HTML file, or several with a list of them; or the searches of a run.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/terms/utf8.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/schedules/whole_file.hpp"

#include "commands.hpp"
#include "document.hpp"
#include "page.hpp"
#include "sources.hpp"
#include "whole_verdict.hpp"

namespace hocket::tool {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

[[noreturn]] void refuse_to_write(const std::string& file, const std::system_error& error) {
  throw UsageError(file + " cannot be written (" + error.code().message() + "); name another place with -o");
}

void write(const std::string& file, const std::string& text) {
  if (!may_be_replaced(file, text))
    throw UsageError(file + " is another file than a page, and stays; name another place with -o");
  try {
    replace_file(file, text);
  } catch (const std::system_error& error) {
    refuse_to_write(file, error);
  }
}

/// Sources of which a page has lines.
using Shown = std::set<std::string>;

void write_page(
    const std::string& file, const std::string& output, const ReportCommand& command, Shown& shown) {
  Json document = document_of(read_schedule(file), file);
  Json sources = sources_of(document, command.sources);
  for (const auto& [name, lines] : sources.items()) shown.insert(name);
  if (!sources.empty()) document["sources"] = std::move(sources);
  write(output, page_of_failure(document));
}

/// Says what a page that is sent to others contains, beside what the schedule file does.
void tell_sources(const Shown& shown, const SourcePlaces& where) {
  std::string names;
  for (const std::string& name : shown) names += (names.empty() ? "" : ", ") + utf8::printable(name);
  if (!names.empty()) {
    std::printf("It has lines of these sources: %s\n", names.c_str());
  } else if (where.binary.empty() && where.folders.empty()) {
    std::printf("It has no source lines: add --binary PROGRAM, or --sources FOLDER\n");
  }
}

/// What --hocket_report wrote, or nothing if the file is something else. Everything in it is shown as text.
Json search_report(const std::string& file) {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20U;
  std::error_code error;
  if (fs::file_size(file, error) > kMostBytes || error) return nullptr;
  std::ifstream in(file);
  return read_search_report(in);
}

/// Calls `use` with each failure in the report that says where its schedule is, and with the path of that.
template <class Use>
void for_each_saved(Json& report, Use use) {
  for (Json& search : report["searches"]) {
    if (!search.is_object() || !search.contains("failures") || !search["failures"].is_array()) continue;
    for (Json& failure : search["failures"]) {
      const Json file = failure.is_object() ? failure.value("schedule_file", Json()) : Json();
      if (file.is_string() && !file.get_ref<const std::string&>().empty())
        use(failure, file.get<std::string>());
    }
  }
}

/// The name of a page without the ".html".
std::string stem_of(const std::string& schedule_file) {
  std::string stem = fs::path(schedule_file).filename().string();
  stem.resize(std::min(stem.find(".schedule.json"), stem.size()));
  return stem;
}

/// Writes the page of the searches. Failures whose pages are in the same folder are linked to them: `names`
/// has the pages of schedules; the page of any other has the name that `hocket report` would give it there.
void write_searches(
    Json report, const std::string& output, const std::map<std::string, std::string>& names = {}) {
  const fs::path folder = fs::path(output).parent_path();
  for_each_saved(report, [&](Json& failure, const std::string& file) {
    const auto known = names.find(file);
    const std::string name = known != names.end() ? known->second : stem_of(file) + ".html";
    const std::optional<PageHead> head = head_of_page(folder / name);
    if (head && !head->failure.empty()) failure["page"] = link_to(name, *head);
  });
  write(output, page_of_searches(report));
}

/// The pages that are written into a folder.
class Folder {
 public:
  explicit Folder(const ReportCommand& command) : command_(command), folder_(command.output) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
      throw UsageError(
          command.output + " cannot be made (" + error.message() + "); name another folder with -o");
  }

  /// Writes the page of a schedule, or the page of searches and those of their failures.
  void add(const std::string& file) {
    Json searches = search_report(file);
    if (searches.is_null()) {
      static_cast<void>(add_readable(file));
      return;
    }
    std::map<std::string, std::string> names;
    for_each_saved(searches, [&](Json& /*failure*/, const std::string& schedule) {
      // It says where the file was seen from the folder in which the test ran.
      const fs::path beside = fs::path(file).parent_path() / schedule;
      std::error_code error;
      for (const fs::path& path : {fs::path(schedule), beside}) {
        if (!fs::exists(path, error)) continue;
        names.emplace(schedule, add_readable(path.string()));
        return;
      }
    });
    write_searches(std::move(searches), (folder_ / name_for("searches")).string(), names);
  }

  [[nodiscard]] const Shown& shown() const { return shown_; }
  /// A sentence about each schedule that could not be read.
  [[nodiscard]] const std::vector<std::string>& refused() const { return refused_; }

 private:
  /// The same as add_failure(). Returns no name if the file cannot be read, which costs no other its page.
  std::string add_readable(const std::string& file) {
    try {
      return add_failure(file);
    } catch (const ScheduleError& error) {
      tell(error.what());
      refused_.emplace_back(error.what());
      return {};
    }
  }

  /// Returns the name of the page.
  std::string add_failure(const std::string& file) {
    std::error_code error;
    const std::string path = fs::weakly_canonical(file, error).string();
    if (const auto known = written_.find(path); known != written_.end()) return known->second;
    const std::string name = name_for(stem_of(file));
    write_page(file, (folder_ / name).string(), command_, shown_);
    written_.emplace(path, name);
    return name;
  }

  /// A name that no other page of this command has.
  std::string name_for(const std::string& stem) {
    std::string name = stem + ".html";
    for (unsigned n = 2; name == "index.html" || !names_.insert(name).second; ++n)
      name = stem + "-" + std::to_string(n) + ".html";
    return name;
  }

  const ReportCommand& command_;
  fs::path folder_;
  Shown shown_;
  std::set<std::string> names_;
  std::vector<std::string> refused_;
  std::map<std::string, std::string> written_;  ///< names of the pages of files, by their paths
};

/// A page for each file in a folder, and one that leads to all pages there. Returns the status.
int write_pages(const ReportCommand& command) {
  Folder folder(command);
  for (const std::string& file : command.files) folder.add(file);
  tell_sources(folder.shown(), command.sources);
  try {
    std::printf("The pages are listed in %s\n", write_index(command.output, folder.refused()).c_str());
  } catch (const std::system_error& error) {
    refuse_to_write(command.output, error);
  }
  return folder.refused().empty() ? kPassed : kBad;
}

}  // namespace

int report(const ReportCommand& command) {
  if (command.files.size() != 1 || command.output.ends_with('/') || fs::is_directory(command.output)) {
    return write_pages(command);
  }
  Shown shown;
  Json searches = search_report(command.files[0]);
  if (searches.is_null()) {
    write_page(command.files[0], command.output, command, shown);
  } else {
    write_searches(std::move(searches), command.output);
  }
  std::printf("The page is %s\n", command.output.c_str());
  tell_sources(shown, command.sources);
  return kPassed;
}

}  // namespace hocket::tool
