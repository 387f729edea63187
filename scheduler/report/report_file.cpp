#include "report_file.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include <spdlog/fmt/fmt.h>
#include <nlohmann/json.hpp>

#include "../../runtime/platform/symbols/build_id.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../options/option_values.hpp"
#include "../options/settings.hpp"
#include "../process/fresh_start.hpp"
#include "../schedules/schedule.hpp"
#include "../schedules/whole_file.hpp"
#include "last_line.hpp"
#include "log.hpp"

namespace hocket {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDidNotEnd = "did not end";

bool is_left = false;  ///< see leave_report_file()

/// The searches that the program made before it began anew. The file was written when it died.
Json earlier_searches() {
  if (!fresh_start::is_one()) return Json::array();
  std::FILE* const in = std::fopen(settings().report_file.c_str(), "r");
  const Json report = in != nullptr ? Json::parse(in, nullptr, false) : Json();
  if (in != nullptr) std::fclose(in);
  const bool is_report = report.is_object() && report.contains("searches") && report["searches"].is_array();
  if (!is_report) return Json::array();
  Json all = report["searches"];
  const auto is_made_again = [](const Json& search) {
    return search.value("verdict", "") == kDidNotEnd && fresh_start::lost_call(search.value("test", ""));
  };
  all.erase(std::remove_if(all.begin(), all.end(), is_made_again), all.end());
  return all;
}

Json& searches() {
  static Json& all = *new Json(earlier_searches());  // never destroyed, as the settings are
  return all;
}

/// `json` as text. Bytes that are not UTF-8 are replaced.
std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json whole_file(const Json& all) {
  return {{"hocket_report", 1}, {"searches", all}};
}

void write_report_file(const Json& all) {
  const std::string& file = settings().report_file;
  const std::string text = dump(whole_file(all), 2) + '\n';
  struct stat it {};
  if (::stat(file.c_str(), &it) == 0 && S_ISFIFO(it.st_mode))
    throw std::runtime_error(
        "hocket: the report cannot be written to the pipe " + file +
        ", as it is written again and again; use hocket run --report, which writes it once");
  if (!may_be_replaced(file, text))
    throw std::runtime_error(
        "hocket: " + file + " is another file than a report, and stays; name another file");
  try {
    replace_file(file, text, file_steps::Outlives::processes);
  } catch (const std::system_error& error) {
    throw std::runtime_error("hocket: the report cannot be written to " + file + " (" +
                             error.code().message() + "); name another file");
  }
}

/// The same, where the search has come to an end already. If that says that something is wrong, it must not
/// be lost for the sake of a file.
void write_report_file(const Json& all, Verdict verdict) {
  const bool is_bad = verdict == Verdict::failed || verdict == Verdict::nondeterministic;
  try {
    write_report_file(all);
  } catch (const std::runtime_error& error) {
    if (!is_bad) throw;
    constexpr std::string_view kName = "hocket: ";
    warn("{}", std::string_view(error.what()).substr(kName.size()));
  }
}

Json json_of(const FoundFailure& failure, const Report& report) {
  Json json{{"kind", to_string(failure.kind)}, {"message", failure.message}, {"where", failure.where},
      {"bound", failure.bound}, {"bound_unit", report.bound_unit}, {"found_bound", failure.found_bound},
      {"known_least", failure.known_least}, {"executions", failure.executions},
      {"schedule_file", failure.schedule_file}};
  if (failure.schedule != nullptr && failure.schedule->schedules_tried != 0)
    json["schedules_tried"] = failure.schedule->schedules_tried;
  if (!failure.differs_from_file.empty()) json["differs_from_file"] = failure.differs_from_file;
  // Of a shard, hocket run --jobs tells all of it.
  if (report.shard && failure.from_saved) json["from_saved"] = true;
  if (report.shard && !failure.output.empty()) json["output"] = failure.output;
  return json;
}

/// A text for each bound, which may be of millions of classes: 32 digits for each.
Json json_of(const ShardCoverage::Classes& classes) {
  Json lists = Json::array();
  for (const std::vector<runtime::ClassHash>& list : classes) {
    std::string digits;
    for (const runtime::ClassHash& hash : list) {
      for (const std::uint64_t half : {hash.high, hash.low}) {
        for (unsigned shift = 64; shift != 0;) digits += "0123456789abcdef"[half >> (shift -= 4) & 15U];
      }
    }
    lists.push_back(std::move(digits));
  }
  return lists;
}

Json json_of(const Shard& shard) {
  return {{"index", shard.index}, {"count", shard.count}};
}

Json json_of_shard(const Report& report) {
  return {{"index", report.shard->index}, {"count", report.shard->count},
      {"split_search", report.split_search}, {"build_id", runtime::platform::build_id_of_this_program()},
      {"began_anew", report.began_anew}, {"is_all", report.is_all_of_shard},
      {"others", report.in_shard.others}, {"classes", json_of(report.in_shard.passed)},
      {"failed_classes", json_of(report.in_shard.failed)}};
}

Json json_of(const std::vector<BoundReport>& bounds) {
  Json all = Json::array();
  for (const BoundReport& bound : bounds) {
    all.push_back({{"executions", bound.executions}, {"classes", bound.classes}, {"failures", bound.failures},
        {"complete", bound.complete}});
  }
  return all;
}

Json json_of(const Report& report) {
  Json search{
      {"test", report.test},
      {"strategy", report.strategy},
      {"verdict", verdict_in_report_file(report.verdict, report.is_replay)},
      {"executions", report.executions},
      {"dropped", report.dropped},
      {"pruned", report.pruned},
      {"classes", report.classes},
      {"failed_classes", report.failed_classes},
      {"steps", report.steps},
      {"pending", report.pending},
      {"abandoned", report.abandoned},
      {"seconds", report.seconds},
  };
  if (!report.bounds.empty()) search["bound_unit"] = report.bound_unit;
  if (report.fair) search["fair"] = true;
  if (report.memory_model == MemoryModel::c11) search["memory_model"] = "c11";
  if (report.most_stale) search["most_stale"] = *report.most_stale;
  if (!report.late_timeouts.empty()) search["late_timeouts"] = report.late_timeouts;
  if (!report.sealed.empty()) search["sealed"] = report.sealed;
  if (report.counts_polling) search["polls_at"] = report.polls_at;
  if (!report.note.empty()) search["note"] = report.note;
  if (!report.weaker_operations.empty()) {
    Json& weaker = search["weaker_operations"] = Json::array();
    for (const WeakerOperation& operation : report.weaker_operations) {
      weaker.push_back(
          {{"operation", operation.operation}, {"where", operation.where}, {"order", operation.order}});
    }
    search["may_be_more_weaker_operations"] = report.may_be_more_weaker_operations;
  }
  if (report.shard) search["shard"] = json_of_shard(report);
  if (!report.stopped_by.empty()) search["stopped_by"] = report.stopped_by;
  if (report.ended_at_race) search["ended_at_race"] = true;
  if (const auto& estimate = report.unfinished) {
    search["unfinished"] = {{"bound", estimate->bound}, {"executions", estimate->runs},
        {"share", estimate->share}, {"least_executions", estimate->least},
        {"most_executions", estimate->most}, {"least_seconds_left", estimate->seconds_left(estimate->least)},
        {"most_seconds_left", estimate->seconds_left(estimate->most)}};
  }
  if (!report.explanation.empty()) search["explanation"] = report.explanation;
  search["bounds"] = json_of(report.bounds);
  for (const Meeting& meeting : report.meetings) {
    const auto place = [](const MeetingPlace& at) {
      return Json{{"operation", at.operation}, {"where", at.where}};
    };
    search["meetings"].push_back({{"first", place(meeting.first)}, {"second", place(meeting.second)},
        {"first_before", meeting.first_before}, {"second_before", meeting.second_before}});
  }
  Json& failures = search["failures"] = Json::array();
  for (const FoundFailure& failure : report.failures) failures.push_back(json_of(failure, report));
  return search;
}

}  // namespace

Json entry_of(const Report& report) {
  return json_of(report);
}

void leave_report_file() {
  is_left = true;
}

std::string_view verdict_in_report_file(Verdict verdict, bool is_replay) {
  if (!is_replay || verdict == Verdict::stopped) return to_string(verdict);
  if (verdict == Verdict::failed) return "replay failed again";
  if (verdict == Verdict::nondeterministic) return "replay diverged";
  return "replay ran clean";
}

void add_to_report_file(Verdict verdict, Json entry) {
  note_verdict(verdict);
  outcomes_so_far().push_back(outcome_of(entry));
  if (settings().report_file.empty()) return;
  searches().push_back(std::move(entry));
  write_report_file(searches(), verdict);
}

void add_to_report_file(const Report& report) {
  add_to_report_file(report.verdict, json_of(report));
}

namespace {

/// See keep_one_search(); `name_of` is that of the test of an element.
template <class All, class NameOf>
void keep_one(All& all, const std::string& test, bool the_earlier, NameOf&& name_of) {
  if (all.empty() || name_of(all.back()) != test) return;
  const auto latest = std::prev(all.end());
  const auto earlier =
      std::find_if(all.begin(), latest, [&](const auto& each) { return name_of(each) == test; });
  if (earlier == latest) return;
  if (!the_earlier) *earlier = std::move(*latest);
  all.erase(latest);
}

}  // namespace

void keep_one_search(const std::string& test, bool the_earlier) {
  keep_one(outcomes_so_far(), test, the_earlier, [](const SearchOutcome& outcome) { return outcome.test; });
  if (settings().report_file.empty()) return;
  keep_one(searches(), test, the_earlier, [](const Json& search) { return search.value("test", ""); });
  write_report_file(searches());
}

std::size_t searches_in_report_file(const std::string& test) {
  if (settings().report_file.empty()) return 0;
  const Json& all = searches();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Json& search) {
    return search.value("test", "") == test && search.value("verdict", "") != kDidNotEnd;
  }));
}

void adopt_report_file() {
  if (settings().report_file.empty()) return;
  std::ifstream file(settings().report_file);
  const Json whole = Json::parse(file, nullptr, false);
  if (whole.is_object() && whole.contains("searches")) searches() = whole.at("searches");
}

namespace {

/// Removes what killed processes have left beside the report, once.
void remove_leftovers_of_reports() {
  static bool is_done = false;
  if (std::exchange(is_done, true)) return;
  remove_leftovers(std::filesystem::path(settings().report_file).parent_path());
}

}  // namespace

void announce_in_report_file(const std::string& test, const std::optional<Shard>& shard) {
  if (settings().report_file.empty()) return;
  remove_leftovers_of_reports();
  static bool is_told = false;
  const bool is_of_shard = report_of_shard("report") != "report";
  if (!std::exchange(is_told, true) && is_of_shard && std::getenv("HOCKET_COMMAND") == nullptr)
    std::fprintf(
        stderr, "hocket: the report of this shard is %s\n", utf8::printable(settings().report_file).c_str());
  Json all = searches();
  if (!test.empty()) {
    Json& search = all.emplace_back(Json{{"test", test}, {"verdict", kDidNotEnd}});
    if (shard) search["shard"] = json_of(*shard);
  }
  write_report_file(all);
}

void complete_in_report_file(const Report& report) {
  outcomes_so_far().push_back(outcome_of(json_of(report)));
  if (settings().report_file.empty()) return;
  Json& all = searches();
  const auto is_meant = [&](const Json& search) {
    const bool is_of_supervisor = !search.contains("seconds");  // which knows less
    return search.value("test", "") == report.test && is_of_supervisor;
  };
  const auto place = std::find_if(all.begin(), all.end(), is_meant);
  if (place != all.end()) *place = json_of(report);
  write_report_file(all, report.verdict);
}

void note_in_report_file(const Report& report) {
  if (settings().report_file.empty() || is_left) return;
  Json all = searches();
  Json& search = all.emplace_back(json_of(report));
  search["verdict"] = kDidNotEnd;
  search.erase("seconds");
  if (report.shard) search["shard"] = json_of(*report.shard);  // its classes are not all of them
  try {
    write_report_file(all);
  } catch (const std::runtime_error&) {
    return;  // at its end the search says so
  }
}

bool put_death_in_report_file(
    const std::string& file, const LastExecution& last, const Coverage& before, const std::string& saved_as) {
  std::ifstream text(file, std::ios::binary);
  Json report = Json::parse(text, nullptr, false);
  text.close();
  if (!report.is_object() || !report.contains("searches") || !report["searches"].is_array()) return true;
  Json& all = report["searches"];
  const auto place = std::find_if(all.begin(), all.end(), [&](const Json& search) {
    return search.value("test", "") == last.schedule.test && search.value("verdict", "") == kDidNotEnd;
  });
  if (place == all.end()) return true;
  Json& search = *place;
  search["strategy"] = last.schedule.strategy;
  search["verdict"] = verdict_in_report_file(Verdict::failed, !settings().replay.empty());
  search["executions"] = before.executions + 1;  // the last one counts, but it has no class
  search["dropped"] = before.dropped;
  search["pruned"] = before.pruned;
  search["classes"] = before.classes;
  search["failed_classes"] = before.failed_classes;
  search["steps"] = before.steps + last.schedule.choices.size();
  search["bounds"] = json_of(before.bounds);
  Json failure{{"kind", to_string(last.schedule.kind)}, {"message", last.schedule.message}, {"where", ""},
      {"executions", before.executions}, {"schedule_file", saved_as}};
  if (last.preemptions) {
    failure["bound"] = *last.preemptions;
    failure["bound_unit"] = "preemption";
  }
  search["failures"].push_back(std::move(failure));
  try {
    replace_file(file, dump(report, 2) + '\n', file_steps::Outlives::processes);
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

}  // namespace hocket
