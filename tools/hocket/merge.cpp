// `hocket merge`: the reports of all shards of a search as one report.
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "scheduler/report/whole_searches.hpp"
#include "scheduler/schedules/whole_file.hpp"

#include "commands.hpp"
#include "whole_verdict.hpp"

namespace hocket::tool {

namespace {

using Json = nlohmann::ordered_json;

Json read_report(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw UsageError(file + " cannot be read; name the reports that --hocket_report=FILE wrote");
  Json json = read_search_report(in);
  if (json.is_null())
    throw UsageError(file + " is no report, or not whole; name what --hocket_report=FILE wrote");
  return json;
}

void write_report(const std::string& file, const std::vector<WholeSearch>& searches) {
  const std::string text = text_of_report(searches);
  if (!may_be_replaced(file, text))
    throw UsageError(file + " is another file than a report, and stays; name another one with -o");
  try {
    replace_file(file, text);
  } catch (const std::system_error& error) {
    throw UsageError(file + " cannot be written (" + error.code().message() + "); name another file with -o");
  }
}

}  // namespace

int merge(const MergeCommand& command) {
  std::vector<ShardReport> reports;
  for (const std::string& file : command.files) reports.push_back({file, read_report(file)});
  const std::vector<WholeSearch> searches = whole_searches(std::move(reports));
  if (searches.empty())
    throw UsageError("the reports have no searches; name what --hocket_report=FILE wrote");
  std::string text;
  int status = kPassed;
  for (const WholeSearch& search : searches) {
    text += to_text(search);
    if (has_failed(search.json)) {
      for (const Json& failure : search.json.value("failures", Json::array()))
        text += text_of_failure(failure);
      status = kFailed;
    } else if (search.json.value("verdict", "") == "stopped" && status == kPassed) {
      status = kStopped;
    }
  }
  if (!command.output.empty()) write_report(command.output, searches);
  std::fputs(text.c_str(), stdout);
  return status;
}

}  // namespace hocket::tool
