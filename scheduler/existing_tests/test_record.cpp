#include "test_record.hpp"

#include <stdexcept>

#include <nlohmann/json.hpp>

namespace hocket {

namespace {

using Json = nlohmann::json;

/// Bytes that are not UTF-8 are replaced.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const FirstLook& look) {
  Json places = Json::array();
  for (const BusyPlace& place : look.busy_places) places.push_back({place.where, place.steps});
  return {{"reason_to_skip", look.reason_to_skip}, {"skipped_in", look.skipped_in},
      {"skipped_at", look.skipped_at}, {"threads", look.threads}, {"steps", look.steps},
      {"seconds", look.seconds}, {"placed_steps", look.placed_steps}, {"busy_places", places}};
}

void read(const Json& json, FirstLook& look) {
  json.at("reason_to_skip").get_to(look.reason_to_skip);
  json.at("skipped_in").get_to(look.skipped_in);
  json.at("skipped_at").get_to(look.skipped_at);
  json.at("threads").get_to(look.threads);
  json.at("steps").get_to(look.steps);
  json.at("seconds").get_to(look.seconds);
  json.at("placed_steps").get_to(look.placed_steps);
  look.busy_places.clear();
  for (const Json& place : json.at("busy_places"))
    look.busy_places.push_back({place.at(0).get<std::string>(), place.at(1).get<std::uint64_t>()});
}

}  // namespace

std::string to_record(const ExistingTest& test) {
  return dump({{"end", static_cast<unsigned>(test.end)}, {"look", json_of(test.look)},
      {"is_searched", test.is_searched}, {"is_unfinished", test.is_unfinished},
      {"is_nondeterministic", test.is_nondeterministic}, {"sealed", test.sealed},
      {"has_late_timeouts", test.has_late_timeouts}, {"ended_at_race", test.ended_at_race},
      {"bound", test.bound}, {"executions", test.executions}, {"seconds", test.seconds},
      {"sections", test.sections}, {"failure", test.failure}, {"text", test.text}});
}

std::string record_of_error(const std::string& what) {
  return dump({{"error", what}});
}

void read_record(const std::string& record, ExistingTest& test) {
  const Json json = Json::parse(record);
  if (json.contains("error")) throw std::runtime_error(json.at("error").get<std::string>());
  test.end = static_cast<TestEnd>(json.at("end").get<unsigned>());
  read(json.at("look"), test.look);
  json.at("is_searched").get_to(test.is_searched);
  json.at("is_unfinished").get_to(test.is_unfinished);
  json.at("is_nondeterministic").get_to(test.is_nondeterministic);
  json.at("sealed").get_to(test.sealed);
  json.at("has_late_timeouts").get_to(test.has_late_timeouts);
  json.at("ended_at_race").get_to(test.ended_at_race);
  json.at("bound").get_to(test.bound);
  json.at("executions").get_to(test.executions);
  json.at("seconds").get_to(test.seconds);
  json.at("sections").get_to(test.sections);
  json.at("failure").get_to(test.failure);
  json.at("text").get_to(test.text);
}

}  // namespace hocket
