#include "sections.hpp"

#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "../../runtime/execution/allocations.hpp"
#include "../../runtime/execution/step.hpp"

namespace hocket::sections {

namespace {

/// What the current execution does, or the last one has done.
struct Way {
  runtime::Life life{};
  Path path;                ///< the sections in which it is
  std::size_t deepest = 0;  ///< the most in which it was
  bool has_left_out = false;
  std::vector<Path> done;
  Path entered;
  bool has_left = false;  ///< a section of `entered`
};

std::set<Path> done;
Way way;

/// The way of the current execution.
Way& way_now() {
  if (way.life != runtime::run.life) {
    way = {};
    way.life = runtime::run.life;
  }
  return way;
}

}  // namespace

void begin_test() {
  done.clear();
  way = {};
}

bool enter(const std::string& section) {
  const runtime::OwnMemory own;
  Way& now = way_now();
  now.path.push_back(section);
  const bool is_done = done.contains(now.path);
  const bool is_first = now.path.size() > now.deepest;
  if (!is_done && is_first) {
    now.deepest = now.path.size();
    return true;
  }
  now.has_left_out |= !is_done;
  now.path.pop_back();
  return false;
}

void leave() {
  const runtime::OwnMemory own;
  if (!way.has_left_out) way.done.push_back(way.path);
  way.path.pop_back();
}

void note_entered(const std::string& section) {
  const runtime::OwnMemory own;
  Way& now = way_now();
  if (!now.has_left) now.entered.push_back(section);
}

void note_left() {
  way_now().has_left = true;
}

bool advance() {
  done.insert(way.done.begin(), way.done.end());
  return way.has_left_out;
}

const Path& entered() {
  return way.entered;
}

std::string to_record() {
  const nlohmann::json record{
      {"has_left_out", way.has_left_out}, {"done", way.done}, {"entered", way.entered}};
  return record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void read_record(const std::string& record) {
  const nlohmann::json json = nlohmann::json::parse(record);
  way = {};
  json.at("has_left_out").get_to(way.has_left_out);
  json.at("done").get_to(way.done);
  json.at("entered").get_to(way.entered);
}

}  // namespace hocket::sections
