#include "states.hpp"

#include <string>
#include <utility>
#include <vector>

#include "runtime/terms/utf8.hpp"

namespace hocket::tool {

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

}  // namespace hocket::tool
