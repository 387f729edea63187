#include "document_parts.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "runtime/diagnosis/step_effects.hpp"
#include "runtime/terms/semantics.hpp"
#include "runtime/terms/utf8.hpp"

namespace hocket::tool {

namespace {

using Numbers = std::vector<std::size_t>;  ///< of the steps of a thread

/// The last step that is one of the first `count` of all; 0: there is none.
std::size_t last_among(const Numbers& steps, std::size_t count) {
  const auto after = std::upper_bound(steps.begin(), steps.end(), count);
  return after == steps.begin() ? 0 : *std::prev(after);
}

/// The first step that is not one of the first `count` of all; 0: there is none.
std::size_t first_behind(const Numbers& steps, std::size_t count) {
  const auto after = std::upper_bound(steps.begin(), steps.end(), count);
  return after == steps.end() ? 0 : *after;
}

}  // namespace

std::vector<LifeEdge> life_edges(const nlohmann::ordered_json& document) {
  std::vector<Numbers> of_thread(document["threads"].size());
  for (const auto& step : document["steps"]) {
    if (step.contains("left_out")) continue;
    of_thread[step["thread"].get<std::size_t>()].push_back(step["step"]);
  }
  std::vector<LifeEdge> edges;
  const auto add = [&](std::size_t from, std::size_t to, const char* why) {
    if (from != 0 && to > from) edges.push_back({from, to, why});
  };
  for (std::size_t n = 0; n < of_thread.size(); ++n) {
    const auto& thread = document["threads"][n];
    const Numbers& own = of_thread[n];
    if (own.empty()) continue;
    if (thread.contains("creator"))
      add(last_among(of_thread[thread["creator"].get<std::size_t>()], thread["made_after"]), own.front(),
          "creates");
    if (thread.contains("joiner"))
      add(own.back(), first_behind(of_thread[thread["joiner"].get<std::size_t>()], thread["joined_after"]),
          "joins");
  }
  std::sort(edges.begin(), edges.end(), [](const LifeEdge& a, const LifeEdge& b) { return a.to < b.to; });
  return edges;
}

namespace {

using Json = nlohmann::ordered_json;

Json printable(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push_back(utf8::printable(text));
  return json;
}

}  // namespace

Json states_of(const Schedule& schedule) {
  const ModelStates& model = schedule.model;
  if (model.states.empty()) return Json::object();
  Json json = Json::object();
  if (!model.members.empty()) json["members"] = printable(model.members);
  Json& states = json["states"] = Json::array();
  for (const std::vector<std::string>& state : model.states) states.push_back(printable(state));
  if (model.transitions.empty()) return json;
  Json& transitions = json["transitions"] = Json::array();
  for (const ModelStates::Transition& transition : model.transitions) {
    Json one{{"from", transition.from}, {"process", utf8::printable(transition.process)},
        {"does", utf8::printable(transition.action)}};
    if (transition.to) one["to"] = *transition.to;
    transitions.push_back(std::move(one));
  }
  return json;
}

void add_state(Json& step, const Schedule& schedule, std::size_t n) {
  const ModelStates& model = schedule.model;
  if (n >= model.path.size()) return;
  step["leads_to"] = model.path[n];
  const std::vector<std::string>& before = model.states[n == 0 ? 0 : model.path[n - 1]];
  const std::vector<std::string>& after = model.states[model.path[n]];
  Json changed = Json::array();
  for (std::size_t part = 0; part < after.size(); ++part) {
    if (before.size() != after.size() || before[part] != after[part]) changed.push_back(part);
  }
  if (before != after) step["changed"] = std::move(changed);
}

Stores::Use Stores::add(
    std::size_t number, const runtime::RecordedChoice& step, std::optional<std::size_t> chosen) {
  const runtime::Semantics& row = runtime::semantics_of(step.operation);
  const bool is_plain_write = step.operation == runtime::Operation::memory_write;
  if (!runtime::is_atomic(row.synchronization) && !is_plain_write) return {};
  std::vector<std::size_t>& order = orders_[step.object];
  if (order.empty()) order.push_back(0);
  auto found = order.end() - 1;
  if (chosen.has_value()) {
    const auto place = std::find(order.begin(), order.end(), *chosen);
    if (place != order.end()) found = place;
  }
  Use use;
  use.newer.assign(found + 1, order.end());
  const bool reads = row.synchronization != runtime::Synchronization::atomic_store && !is_plain_write;
  if (reads) {
    use.read = *found;
  } else if (!use.is_of_newest()) {
    use.behind = *found;
  }
  if (runtime::writes(step)) order.insert(found + 1, number);
  return use;
}

}  // namespace hocket::tool
