#include "sections.hpp"

#include <set>
#include <vector>

#include "../../runtime/execution/allocations.hpp"
#include "../../runtime/execution/execution.hpp"

namespace hocket::sections {

namespace {

using Path = std::vector<std::string>;  ///< a section and those around it, from the outermost

/// What the current execution does, or the last one has done.
struct Way {
  runtime::Life life{};
  Path path;                ///< the sections in which it is
  std::size_t deepest = 0;  ///< the most in which it was
  bool has_left_out = false;
  std::vector<Path> done;
};

std::set<Path> done;
Way way;

}  // namespace

void begin_test() {
  done.clear();
  way = {};
}

bool enter(const std::string& section) {
  const runtime::OwnMemory own;
  if (way.life != runtime::execution.life) {
    way = {};
    way.life = runtime::execution.life;
  }
  way.path.push_back(section);
  const bool is_done = done.contains(way.path);
  const bool is_first = way.path.size() > way.deepest;
  if (!is_done && is_first) {
    way.deepest = way.path.size();
    return true;
  }
  way.has_left_out |= !is_done;
  way.path.pop_back();
  return false;
}

void leave() {
  const runtime::OwnMemory own;
  if (!way.has_left_out) way.done.push_back(way.path);
  way.path.pop_back();
}

bool advance() {
  done.insert(way.done.begin(), way.done.end());
  return way.has_left_out;
}

}  // namespace hocket::sections
