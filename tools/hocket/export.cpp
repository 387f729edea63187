// `hocket export`: failures in the format of another program.
#include <cstdio>
#include <string>
#include <vector>

#include "scheduler/schedules/schedule_file.hpp"

#include "commands.hpp"
#include "document.hpp"
#include "exports.hpp"
#include "sources.hpp"

namespace hocket::tool {

namespace {

/// `is_whole`: whether all files could be read; those that cannot are told, and left out.
std::string exported(const ExportCommand& command, bool& is_whole) {
  const bool is_for_one = command.format == "trace" || command.format == "shiviz" || command.format == "dot";
  if (is_for_one && command.files.size() != 1)
    throw UsageError("--as " + command.format + " prints one failure; name one file");
  std::string text;
  std::vector<WithSources> results;
  for (const std::string& file : command.files) {
    Schedule schedule;
    try {
      schedule = read_schedule(file);
    } catch (const ScheduleError& error) {
      if (command.files.size() == 1) throw;
      tell(error.what());
      is_whole = false;
      continue;
    }
    const nlohmann::ordered_json document = document_of(schedule, file);
    if (command.format == "markdown") text += as_markdown(schedule, document);
    if (command.format == "sarif") results.push_back({document, source_files(document, command.sources)});
    if (command.format == "github") text += as_github({document, source_files(document, command.sources)});
    if (command.format == "trace") text = as_trace(document);
    if (command.format == "shiviz") text = as_shiviz(document);
    if (command.format == "dot") text = as_dot(document);
  }
  return command.format == "sarif" ? as_sarif(results) : text;
}

}  // namespace

int export_failures(const ExportCommand& command) {
  bool is_whole = true;
  std::fputs(exported(command, is_whole).c_str(), stdout);
  return is_whole ? kPassed : kBad;
}

}  // namespace hocket::tool
