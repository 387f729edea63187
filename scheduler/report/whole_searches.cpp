#include "whole_searches.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>
#include <nlohmann/json.hpp>

#include "../../runtime/terms/english.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../api/report.hpp"
#include "../api/text_width.hpp"
#include "../process/interrupt.hpp"
#include "class_union.hpp"
#include "report_notes.hpp"

namespace hocket {

namespace {

using Json = nlohmann::ordered_json;

/// The search of one test in one shard.
struct Part {
  std::string file;
  Json search;
  unsigned index = 0;
  bool has_died = false;  ///< a body has ended the process, so the report has only what could be written then

  /// Models are not split: each process that runs a shard of the tests has searched all of them.
  [[nodiscard]] bool is_split() const { return search.contains("shard"); }
  [[nodiscard]] const Json& shard() const { return search.at("shard"); }
  [[nodiscard]] std::string verdict() const { return search.value("verdict", ""); }
  [[nodiscard]] std::string name() const { return fmt::format("shard {}", index); }
};

[[noreturn]] void refuse_report(const std::string& file, const std::string& problem) {
  throw std::invalid_argument(file + " " + problem);
}

/// A search of a program: the name of its test, and how many searches before it have the same name.
using SearchId = std::pair<std::string, unsigned>;

/// The parts of all searches, in the order in which the first report has them.
class Parts {
 public:
  void add_report(const std::string& file, Json report) {
    std::map<std::string, unsigned> before;
    for (Json& search : report["searches"]) {
      if (!search.is_object() || !search.contains("test") || !search["test"].is_string())
        refuse_report(file, "has a search without a test");
      const std::string test = search["test"];
      add(file, {test, before[test]++}, std::move(search));
    }
  }

  [[noreturn]] static void refuse_damaged(const Part& part) {
    refuse_report(part.file,
        "is damaged in the search of " + part.search.value("test", "a test") + "; run that shard again");
  }

  [[nodiscard]] const std::vector<SearchId>& searches() const { return searches_; }
  /// By their shards.
  [[nodiscard]] std::vector<Part>& of(const SearchId& search) { return parts_.at(search); }

 private:
  void add(const std::string& file, const SearchId& id, Json search) {
    const std::string& test = id.first;
    Part part{file, std::move(search)};
    if (part.verdict() == "did not end")
      refuse_report(file, "is of a run that did not come to its end in " + test + "; run that shard again");
    std::vector<Part>& all = parts_[id];
    if (all.empty()) searches_.push_back(id);
    const bool is_split = part.search.contains("shard");
    if (!all.empty() && is_split != all.front().is_split())
      refuse_report(
          file, fmt::format("and {} do not both have a shard of {}; make both with --hocket_shard=1/N",
                    all.front().file, test));
    if (!is_split) {
      all.push_back(std::move(part));
      return;
    }
    add_what_the_dead_leave_out(part);
    check_fields(part);
    part.index = part.shard().at("index");
    for (const Part& other : all) check_that_they_fit(test, part, other);
    const auto after =
        std::find_if(all.begin(), all.end(), [&](const Part& other) { return other.index > part.index; });
    all.insert(after, std::move(part));
  }

  /// Of a shard that has died, what it found before does not count: the whole search has failed.
  static void add_what_the_dead_leave_out(Part& part) {
    Json& search = part.search;
    if (part.verdict() != "failed" || !search["shard"].is_object() || search["shard"].contains("classes"))
      return;
    part.has_died = true;
    for (const char* name : {"classes", "failed_classes", "began_anew"})
      search["shard"][name] = Json::array();
    search["shard"]["others"] = 0U;
    for (const char* name : {"bounds", "failures"}) search.emplace(name, Json::array());
    for (const char* name : {"executions", "dropped", "pruned", "steps", "classes", "failed_classes"})
      search.emplace(name, 0U);
  }

  /// What is used below has the types that reports have.
  static void check_fields(const Part& part) {
    const Json& shard = part.shard();
    const auto is_number = [](const Json& json, const char* name) {
      return json.contains(name) && json[name].is_number_unsigned();
    };
    const auto is_list = [](const Json& json, const char* name) {
      return json.contains(name) && json[name].is_array();
    };
    bool is_right = shard.is_object() && is_number(shard, "index") && is_number(shard, "count") &&
                    is_number(shard, "others") && is_list(shard, "classes") &&
                    is_list(shard, "failed_classes") && is_list(shard, "began_anew") &&
                    is_list(part.search, "bounds") && is_list(part.search, "failures");
    for (const char* name : {"executions", "dropped", "pruned", "steps", "classes", "failed_classes"})
      is_right = is_right && is_number(part.search, name);
    for (const char* name : {"classes", "failed_classes"})
      is_right = is_right && std::all_of(shard[name].begin(), shard[name].end(),
                                 [](const Json& list) { return list.is_string(); });
    if (is_right && shard["index"] >= 1 && shard["index"] <= shard["count"]) return;
    refuse_damaged(part);
  }

  static void check_that_they_fit(const std::string& test, const Part& part, const Part& other) {
    const auto differ = [&](const char* name) {
      const auto a = part.shard().find(name);
      const auto b = other.shard().find(name);
      const bool has_a = a != part.shard().end();
      const bool has_b = b != other.shard().end();
      if (has_a && has_b) return *a != *b;
      return (has_a && !other.has_died) || (has_b && !part.has_died);
    };
    const std::string both = "and " + other.file;
    if (differ("count"))
      refuse_report(part.file, both + " split the search of " + test + " into different numbers of shards");
    if (part.index == other.index)
      refuse_report(
          part.file, fmt::format("{} both have shard {} of {}; name one of them", both, part.index, test));
    if (differ("split_search"))
      refuse_report(
          part.file, fmt::format("{} searched {} with different options: \"{}\" and \"{}\"", both, test,
                         part.shard().value("split_search", ""), other.shard().value("split_search", "")));
    if (differ("build_id"))
      refuse_report(
          part.file, both + " are of different builds of the program; run all shards with one build");
  }

  std::vector<SearchId> searches_;
  std::map<SearchId, std::vector<Part>> parts_;
};

/// Adds up what the parts of one test have found.
class Merge {
 public:
  Merge(const std::string& test, std::vector<Part>& parts, const ShardsRun& run) : parts_(parts), run_(run) {
    merged_ = parts.front().search;
    report_.test = test;
  }

  /// Returns the search as a report file has it. report() is the same for people.
  Json run() {
    for (const char* name : {"executions", "dropped", "pruned", "steps"}) merged_[name] = sum_of(name);
    merged_["pending"] = sum_of("pending");
    merged_["abandoned"] = sum_of("abandoned");
    merged_["seconds"] = run_.in_turn ? sum_of_seconds() : longest();
    merge_bounds();
    merge_failures();
    for (const char* name : {"note", "explanation"}) merge_texts(name);
    for (const char* name : {"polls_at", "weaker_operations"}) merge_lists(name);
    for (const char* name : {"late_timeouts", "sealed", "most_stale", "may_be_more_weaker_operations",
             "ended_at_race", "bound_unit"})
      take_from_any(name);
    merged_.erase("unfinished");
    merged_.erase("stopped_by");
    conclude();
    merged_["shards"] = parts_.front().shard().at("count");
    merged_.erase("shard");
    fill_report();
    return merged_;
  }

  [[nodiscard]] const Report& report() const { return report_; }

 private:
  [[nodiscard]] std::uint64_t sum_of(const char* name) const {
    std::uint64_t sum = 0;
    for (const Part& part : parts_) sum += part.search.value(name, std::uint64_t{0});
    return sum;
  }
  static std::uint64_t sum_of(const std::vector<std::uint64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
  [[nodiscard]] double longest() const {
    double seconds = 0;
    for (const Part& part : parts_) seconds = std::max(seconds, part.search.value("seconds", 0.0));
    return seconds;
  }
  [[nodiscard]] double sum_of_seconds() const {
    double seconds = 0;
    for (const Part& part : parts_) seconds += part.search.value("seconds", 0.0);
    return seconds;
  }
  [[nodiscard]] bool any_has(const char* verdict) const {
    return std::any_of(
        parts_.begin(), parts_.end(), [&](const Part& part) { return part.verdict() == verdict; });
  }

  /// The number of classes that were met first at bound 0, 1, …
  [[nodiscard]] std::vector<std::uint64_t> classes_by_bound(const char* list) const {
    ClassUnion classes;
    for (const Part& part : parts_) {
      std::uint32_t bound = 0;
      for (const Json& names : part.shard().at(list)) {
        if (!classes.add(names.get_ref<const std::string&>(), bound++)) Parts::refuse_damaged(part);
      }
    }
    return std::move(classes).by_bound();
  }

  void merge_bounds() {
    const std::vector<std::uint64_t> passed = classes_by_bound("classes");
    const std::vector<std::uint64_t> failed = classes_by_bound("failed_classes");
    merged_["classes"] = run_.share_classes ? sum_of("classes") : sum_of(passed);
    merged_["failed_classes"] = run_.share_classes ? sum_of("failed_classes") : sum_of(failed);
    Json bounds = Json::array();
    for (const Part& part : parts_) {
      const Json& of_part = part.search["bounds"];
      const bool has_ended = !part.has_died && !part.search.contains("stopped_by") &&
                             part.search.value("pending", std::uint64_t{0}) == 0;
      for (std::size_t bound = 0; bound < std::max(of_part.size(), bounds.size()); ++bound) {
        if (bound == bounds.size()) {
          bounds.push_back({{"executions", 0U}, {"classes", bound < passed.size() ? passed[bound] : 0U},
              {"failures", 0U}, {"complete", true}});
        }
        Json& sum = bounds[bound];
        const Json none;
        const Json& row = bound < of_part.size() ? of_part[bound] : none;
        for (const char* name : {"executions", "failures", "classes"}) {
          if (std::string_view(name) == "classes" && !run_.share_classes) continue;
          sum[name] =
              sum[name].get<std::uint64_t>() + (row.is_object() ? row.value(name, std::uint64_t{0}) : 0);
        }
        // A shard that has ended has nothing at the bounds that it does not list.
        sum["complete"] =
            sum["complete"].get<bool>() && (row.is_object() ? row.value("complete", false) : has_ended);
      }
    }
    if (!missing().empty()) {
      for (Json& bound : bounds) bound["complete"] = false;
    }
    merged_["bounds"] = std::move(bounds);
  }

  /// One of each, as the shard has it that found it with the least bound.
  void merge_failures() {
    std::map<std::string, std::pair<unsigned, Json>> least;
    for (const Part& part : parts_) {
      for (const Json& failure : part.search["failures"]) {
        if (!failure.is_object()) continue;
        Json told = failure;
        told["shard"] = part.index;
        const unsigned bound = failure.value("bound", 0U);
        const std::string key = failure.value("kind", "") + '\n' + failure.value("message", "") + '\n' +
                                failure.value("where", "");
        const auto known = least.find(key);
        if (known == least.end() || bound < known->second.first) least[key] = {bound, std::move(told)};
      }
    }
    std::vector<std::pair<unsigned, Json>> failures;
    for (auto& [key, failure] : least) failures.push_back(std::move(failure));
    std::stable_sort(
        failures.begin(), failures.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    merged_["failures"] = Json::array();
    for (auto& [bound, failure] : failures) merged_["failures"].push_back(std::move(failure));
  }

  void merge_texts(const char* name) {
    std::vector<std::string> texts;
    for (const Part& part : parts_) {
      const std::string text = part.search.value(name, "");
      if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
    }
    merged_.erase(name);
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
    if (!all.empty()) merged_[name] = all;
  }

  void merge_lists(const char* name) {
    Json all = Json::array();
    bool is_there = false;
    for (const Part& part : parts_) {
      const Json list = part.search.value(name, Json());
      if (!list.is_array()) continue;
      is_there = true;
      for (const Json& item : list) {
        if (std::find(all.begin(), all.end(), item) == all.end()) all.push_back(item);
      }
    }
    merged_.erase(name);
    if (is_there) merged_[name] = std::move(all);
  }

  void take_from_any(const char* name) {
    for (const Part& part : parts_) {
      if (!merged_.contains(name) && part.search.contains(name)) merged_[name] = part.search[name];
    }
  }

  [[nodiscard]] std::vector<std::string> missing() const {
    std::set<unsigned> there;
    for (const Part& part : parts_) there.insert(part.index);
    const unsigned count = parts_.front().shard().at("count");
    std::vector<std::string> those;
    for (unsigned index = 1; index <= count; ++index) {
      if (!there.contains(index)) those.push_back(std::to_string(index));
    }
    return those;
  }

  /// What has stopped shards; empty: nothing.
  [[nodiscard]] std::string stop() const {
    std::string why;
    const Part* first = nullptr;
    std::size_t count = 0;
    for (const Part& part : parts_) {
      if (part.verdict() != "stopped") continue;
      const std::string its = part.search.value("stopped_by", "a limit");
      if (first == nullptr) why = its;
      if (first == nullptr) first = &part;
      count += its == why ? 1 : 0;
    }
    if (first == nullptr || is_interruption(why) || !run_.are_named) return why;
    return why + (count == parts_.size() && count > 1 ? " in each shard" : " in " + first->name());
  }

  /// Why the shards together are not the whole search; empty: they are.
  [[nodiscard]] std::string gap() const {
    const std::vector<std::string> those = missing();
    const std::string stopped_by = stop();
    if (!run_.lack.empty() && (!those.empty() || is_interruption(stopped_by))) return run_.lack;
    if (!stopped_by.empty()) return stopped_by;
    constexpr std::size_t kNamed = 16;
    if (those.size() > kNamed)
      return fmt::format("the lack of {} of {} shards", those.size(), those.size() + parts_.size());
    if (!those.empty())
      return fmt::format("the lack of {} {}", those.size() == 1 ? "shard" : "shards", runtime::listed(those));
    for (const Part& part : parts_) {
      const std::string why = beyond(part, parts_.front());
      if (!why.empty()) return why;
    }
    return {};
  }

  /// What makes the executions of two shards differ, so that neither list is that of one search.
  static std::string beyond(const Part& a, const Part& b) {
    const auto reasons = [](const Part& part) {
      std::set<std::string> all;
      for (const Json& why : part.shard().at("began_anew")) all.insert(why.get<std::string>());
      return all;
    };
    const std::set<std::string> of_a = reasons(a);
    const std::set<std::string> of_b = reasons(b);
    for (const auto& [one, its, other, others] :
        {std::tuple(&a, &of_a, &b, &of_b), std::tuple(&b, &of_b, &a, &of_a)}) {
      for (const std::string& why : *its) {
        if (!others->contains(why))
          return fmt::format("{}, which {} has met and {} has not", why, one->name(), other->name());
      }
    }
    return {};
  }

  void conclude() {
    if (any_has("failed") || any_has("nondeterministic")) {
      merged_["verdict"] = any_has("failed") ? "failed" : "nondeterministic";
    } else if (const std::string stopped_by = gap(); !stopped_by.empty()) {
      merged_["verdict"] = "stopped";
      merged_["stopped_by"] = stopped_by;
    } else if (sum_of("executions") + run_.executions_before == 0) {
      merged_["verdict"] = "stopped";
      merged_["stopped_by"] = kAllDropped;
    } else if (any_has("passed sample")) {
      merged_["verdict"] = "passed sample";
    } else {
      const bool is_all = std::all_of(
          parts_.begin(), parts_.end(), [](const Part& part) { return part.shard().value("is_all", false); });
      merged_["verdict"] = is_all ? "passed exhaustively" : "passed within the bound";
      for (const Part& part : parts_) {  // the bound has risen until the time was over
        if (part.search.contains("stopped_by")) merged_["stopped_by"] = part.search["stopped_by"];
      }
    }
  }

  void fill_report() {
    for (const Verdict verdict : {Verdict::failed, Verdict::nondeterministic, Verdict::stopped,
             Verdict::passed_sample, Verdict::passed_exhaustively, Verdict::passed_within_bound}) {
      if (merged_["verdict"] == to_string(verdict)) report_.verdict = verdict;
    }
    report_.strategy = merged_.value("strategy", "");
    report_.executions = merged_["executions"];
    report_.dropped = merged_["dropped"];
    report_.pruned = merged_["pruned"];
    report_.classes = merged_["classes"];
    report_.failed_classes = merged_["failed_classes"];
    report_.steps = merged_["steps"];
    report_.pending = merged_["pending"];
    report_.abandoned = merged_["abandoned"];
    report_.seconds = merged_["seconds"];
    report_.bound_unit = merged_.value("bound_unit", report_.bound_unit);
    report_.fair = merged_.value("fair", false);
    report_.note = merged_.value("note", "");
    report_.explanation = merged_.value("explanation", "");
    report_.stopped_by = merged_.value("stopped_by", "");
    report_.late_timeouts = merged_.value("late_timeouts", "");
    report_.sealed = merged_.value("sealed", "");
    report_.counts_polling = merged_.contains("polls_at");
    if (report_.counts_polling) report_.polls_at = merged_["polls_at"].get<std::vector<std::string>>();
    if (merged_.contains("most_stale")) report_.most_stale = merged_["most_stale"].get<unsigned>();
    if (merged_.value("memory_model", "") == "c11") report_.memory_model = MemoryModel::c11;
    for (const Json& bound : merged_["bounds"]) {
      report_.bounds.push_back(
          {bound["executions"].get<std::uint64_t>(), bound["classes"].get<std::uint64_t>(),
              bound["failures"].get<std::uint64_t>(), bound["complete"].get<bool>()});
    }
    for (const Json& operation : merged_.value("weaker_operations", Json::array())) {
      report_.weaker_operations.push_back(
          {operation.value("operation", ""), operation.value("where", ""), operation.value("order", "")});
    }
    report_.may_be_more_weaker_operations = merged_.value("may_be_more_weaker_operations", false);
  }

  std::vector<Part>& parts_;
  const ShardsRun& run_;
  Json merged_;
  Report report_;
};

/// The worst of several searches that have run the same.
const Json& worst_of(const std::vector<Part>& parts) {
  const auto rank = [](const Part& part) {
    if (has_failed(part.search)) return 0;
    return part.verdict() == "stopped" ? 1 : 2;
  };
  return std::min_element(parts.begin(), parts.end(), [&](const Part& a, const Part& b) {
    return rank(a) < rank(b);
  })->search;
}

}  // namespace

std::vector<WholeSearch> whole_searches(std::vector<ShardReport> reports, const ShardsRun& run) {
  std::vector<WholeSearch> searches;
  try {
    Parts parts;
    for (ShardReport& report : reports) parts.add_report(report.file, std::move(report.json));
    for (const SearchId& id : parts.searches()) {
      std::vector<Part>& all = parts.of(id);
      if (!all.front().is_split()) {
        searches.push_back({worst_of(all), {}});
        continue;
      }
      Merge merge(id.first, all, run);
      Json search = merge.run();
      searches.push_back({std::move(search), merge.report()});
    }
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument(
        "one of the reports is damaged: a field has another type than reports have; run the shards again");
  }
  return searches;
}

std::string text_of_report(const std::vector<WholeSearch>& searches) {
  Json all = Json::array();
  for (const WholeSearch& search : searches) all.push_back(search.json);
  return Json{{"hocket_report", 1}, {"searches", all}}.dump(2, ' ', false, Json::error_handler_t::replace) +
         '\n';
}

std::string to_text(const WholeSearch& search) {
  if (search.report) return hocket::to_text(*search.report, false, columns_of_output());
  const std::string verdict = search.json.value("verdict", "");
  return utf8::printable(fmt::format("{}: {}; it is not split", search.json.value("test", ""), verdict)) +
         "\n";
}

std::string text_of_failure(const nlohmann::ordered_json& failure) {
  const std::string message = failure.value("message", "");
  std::string text =
      failure.contains("shard") ? fmt::format("  shard {}: ", failure["shard"].get<unsigned>()) : "  ";
  text += utf8::printable(message.substr(0, message.find('\n'))) + "\n";
  const std::string file = failure.value("schedule_file", "");
  return file.empty() ? text : text + "    " + utf8::printable(file) + "\n";
}

}  // namespace hocket
