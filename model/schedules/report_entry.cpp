#include "report_entry.hpp"

#include <exception>
#include <string_view>

#include <nlohmann/json.hpp>

#include "../../scheduler/options/settings.hpp"
#include "../../scheduler/report/report_file.hpp"
#include "path_schedule.hpp"

namespace hocket::model {

namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::invariant:
      return "invariant";
    case ViolationKind::step:
      return "step";
    case ViolationKind::deadlock:
      return "deadlock";
    case ViolationKind::exception:
      return "exception";
    case ViolationKind::exit:
      return "exit";
    case ViolationKind::acceptance_cycle:
      return "acceptance cycle";
    case ViolationKind::progress_cycle:
      return "progress cycle";
    case ViolationKind::accepted_path:
      return "accepted path";
  }
  return "";
}

Json json_of(const Violation& violation, const Report& report) {
  Json failure{{"kind", name_of(violation.kind)}, {"message", violation.message},
      {"steps", violation.path.size()}, {"schedule_file", violation.schedule_file}};
  if (!report.bounds.empty()) {
    failure["bound"] = violation.preemptions;
    failure["bound_unit"] = "preemption";
  }
  if (ends_in_cycle(violation.kind)) failure["cycle_begin"] = violation.cycle_begin;
  return failure;
}

/// The states and the steps between them, with the names of the processes in a list that the steps refer to.
Json json_of(const StateGraph& graph, const std::vector<std::string>& members) {
  Json json = Json::object();
  if (!members.empty()) json["members"] = members;
  Json& states = json["states"] = Json::array();
  for (const std::string& state : graph.states) states.push_back(parts_of(state));
  Json& transitions = json["transitions"] = Json::array();
  for (const StateGraph::Step& step : graph.steps) {
    transitions.push_back({{"from", step.from}, {"process", step.process_name}, {"does", step.action}});
    if (step.to) transitions.back()["to"] = *step.to;
  }
  return json;
}

Json json_of(const Report& report) {
  Json entry{{"test", report.model}, {"strategy", report.strategy},
      {"verdict", verdict_in_report_file(report.verdict, report.is_replay)}, {"states", report.states},
      {"visits", report.visits}, {"transitions", report.transitions}, {"end_states", report.end_states},
      {"depth", report.depth}, {"store_bytes", report.store_bytes},
      {"omission_probability", report.omission_probability}, {"seconds", report.seconds}};
  if (report.product_states != 0) {
    entry["product_states"] = report.product_states;
    entry["product_transitions"] = report.product_transitions;
  }
  if (report.walks != 0) entry["walks"] = report.walks;
  if (!report.note.empty()) entry["note"] = report.note;
  if (!report.stopped_by.empty()) entry["stopped_by"] = report.stopped_by;
  if (!report.explanation.empty()) entry["explanation"] = report.explanation;
  if (!report.bounds.empty()) entry["bound_unit"] = "preemption";
  Json& bounds = entry["bounds"] = Json::array();
  for (const BoundReport& bound : report.bounds)
    bounds.push_back({{"states", bound.states}, {"complete", bound.complete}});
  if (!report.graph.states.empty()) entry["model"] = json_of(report.graph, report.members);
  Json& failures = entry["failures"] = Json::array();
  for (const Violation& violation : report.violations) failures.push_back(json_of(violation, report));
  return entry;
}

}  // namespace

bool has_report_file() {
  return !settings().report_file.empty();
}

ReportEntry::ReportEntry(const Report& report) {
  announce_in_report_file(report.model);
}

ReportEntry::~ReportEntry() {
  if (is_added_) return;
  try {
    announce_in_report_file({});
  } catch (const std::exception&) {  // the check has thrown, and that is what its caller will see
  }
}

void ReportEntry::add(const Report& report) {
  is_added_ = true;
  add_to_report_file(report.verdict, json_of(report));
}

}  // namespace hocket::model
