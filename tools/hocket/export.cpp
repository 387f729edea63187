// `hocket export`: a failure in the format of another program.
#include <cstdio>
#include <filesystem>
#include <string>

#include "scheduler/schedules/schedule_file.hpp"

#include "commands.hpp"
#include "document.hpp"
#include "exports.hpp"
#include "sources.hpp"

namespace hocket::tool {

namespace {

std::string exported(const ExportCommand& command) {
  const Schedule schedule = read_schedule(command.file);
  const nlohmann::ordered_json document = document_of(schedule, command.file);
  if (command.format == "markdown") return as_markdown(schedule, document);
  if (command.format == "sarif") return as_sarif(document, source_files(document, command.sources));
  if (command.format == "trace") return as_trace(document);
  if (command.format == "shiviz") return as_shiviz(document);
  return as_dot(document);
}

}  // namespace

int export_failure(const ExportCommand& command) {
  std::fputs(exported(command).c_str(), stdout);
  return kPassed;
}

}  // namespace hocket::tool
