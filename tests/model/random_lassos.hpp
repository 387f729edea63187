// A plain statement of which cycles of a random model are within a bound on preemptions.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "random_model.hpp"

namespace hocket::model::test {

/// A path goes on for ever if it comes to a node again. Every path with at most `bound` preemptions is taken
/// from `initial` on, and wherever it may begin a round it does so or does not: all nodes of the round are
/// `allowed` and one is `wanted`. Returns the fewest preemptions, if there is such a path.
template <class Node>
std::optional<unsigned> least_preemptions_of_lasso(const RandomModel& model, unsigned bound,
    const Node& initial, const std::function<const State&(const Node&)>& state_of,
    const std::function<std::vector<Node>(const Node&, const Move&)>& after,
    const std::function<bool(const Node&)>& allowed, const std::function<bool(const Node&)>& wanted) {
  struct Path {
    unsigned preemptions;
    Node node;
    unsigned last;
    std::optional<Node> head;  ///< where the round began
    bool has_met_wanted;

    bool operator<(const Path& other) const {
      return std::tie(preemptions, node, last, head, has_met_wanted) <
             std::tie(other.preemptions, other.node, other.last, other.head, other.has_met_wanted);
    }
  };
  std::set<Path> known;
  std::vector<Path> pending;
  std::optional<unsigned> least;
  const auto add = [&](const Path& path) {
    if (path.preemptions <= bound && known.insert(path).second) pending.push_back(path);
  };
  add({0, initial, kProcesses, {}, false});
  while (!pending.empty()) {
    const Path path = pending.back();
    pending.pop_back();
    if (!path.head && allowed(path.node))
      add({path.preemptions, path.node, path.last, path.node, wanted(path.node)});
    const std::vector<Move> moves = model.possible(state_of(path.node));
    const bool can_continue =
        std::any_of(moves.begin(), moves.end(), [&](const Move& move) { return move.process == path.last; });
    for (const Move& move : moves) {
      const unsigned preemptions = path.preemptions + (can_continue && move.process != path.last ? 1 : 0);
      for (const Node& node : after(path.node, move)) {
        if (path.head && !allowed(node)) continue;
        const Path next{
            preemptions, node, move.process, path.head, path.head && (path.has_met_wanted || wanted(node))};
        if (next.has_met_wanted && path.head == node && preemptions <= bound)
          least = std::min(least.value_or(preemptions), preemptions);
        add(next);
      }
    }
  }
  return least;
}

/// Whether a report says what it should if a cycle within a bound needs at least so many preemptions.
inline void expect_report_within(const Report& report, unsigned bound, std::optional<unsigned> least) {
  RC_ASSERT(report.failed() == (least && *least <= bound));
  if (!report.failed()) {
    RC_ASSERT(report.note.empty() == (report.verdict == Verdict::passed_exhaustively));
    return;
  }
  const Violation& violation = report.violations.front();
  const auto counted = std::count_if(
      violation.path.begin(), violation.path.end(), [](const PathStep& step) { return step.preempts; });
  RC_ASSERT(violation.preemptions == *least);
  RC_ASSERT(counted == *least);
}

}  // namespace hocket::model::test
