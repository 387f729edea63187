#include "tests/oracle/memory_model/bounded_search.hpp"

#include <unordered_map>
#include <utility>

namespace hocket::memory_model {

namespace {

constexpr int kNobody = -1;

/// A state, and what it costs to come to it, by the thread that made the last step if switching away from it
/// costs anything.
struct Node {
  State state;
  std::map<int, Prices> ways;
};

/// States by their graphs. Every way to a graph has as many events as it has, so graphs with fewer events
/// come first, and each is looked at once.
using Layer = std::unordered_map<std::string, Node>;

class Search {
 public:
  Search(const Program& program, const MachineRules& rules, std::size_t most_states)
      : program_(program), machine_(program, rules), most_states_(most_states) {}

  PricedBehaviours run() {
    add_way(machine_.begin(), kNobody, Prices::free(), {});
    while (!layers_.empty() && !result_.is_incomplete) {
      const Layer layer = std::move(layers_.begin()->second);
      layers_.erase(layers_.begin());
      for (const auto& [graph, node] : layer) {
        if (++result_.states > most_states_) result_.is_incomplete = true;
        continue_from(graph, node);
      }
    }
    result_.refused_choices = machine_.refused_choices();
    return std::move(result_);
  }

 private:
  void continue_from(const std::string& graph, const Node& node) {
    State state = node.state;
    bool is_last = true;
    for (unsigned thread = 0; thread < program_.threads.size(); ++thread) {
      if (!machine_.is_enabled(state, thread)) continue;
      is_last = false;
      Prices prices;
      for (const auto& [last, way] : node.ways) {
        const bool preempts = last != kNobody && last != static_cast<int>(thread);
        prices.add(way, {preempts ? 1U : 0U, 0});
      }
      for (Outcome& outcome : machine_.step(state, thread)) {
        if (outcome.state.asked_for_less) result_.asked_for_less.add(prices, outcome.price);
        add_way(std::move(outcome.state), static_cast<int>(thread), prices, outcome.price);
      }
    }
    if (is_last) finish(graph, node);
  }

  void add_way(State state, int thread, const Prices& prices, const Price& more) {
    if (state.has_race) return result_.races.add(prices, more);
    const bool could_go_on = thread != kNobody && machine_.is_enabled(state, static_cast<unsigned>(thread));
    Layer& layer = layers_[state.partial.execution.events.size()];
    Node& node = layer[graph_of(program_, state.partial)];
    if (node.ways.empty()) node.state = std::move(state);
    node.ways[could_go_on ? thread : kNobody].add(prices, more);
  }

  void finish(const std::string& graph, const Node& node) {
    Prices prices;
    for (const auto& [last, way] : node.ways) prices.add(way, {});
    PartialExecution partial = node.state.partial;
    const bool is_complete = have_all_ended(program_, partial);
    (is_complete ? result_.complete : result_.stuck)[graph].add(prices, {});
    if (is_complete) result_.outcomes[outcome_of(program_, partial)].add(prices, {});
  }

  const Program& program_;
  Machine machine_;
  std::size_t most_states_;
  std::map<std::size_t, Layer> layers_;
  PricedBehaviours result_;
};

}  // namespace

std::set<std::string> within(const std::map<std::string, Prices>& priced, const Bound& bound) {
  std::set<std::string> result;
  for (const auto& [name, prices] : priced) {
    if (prices.are_within(bound)) result.insert(name);
  }
  return result;
}

PricedBehaviours explore(const Program& program, const MachineRules& rules, std::size_t most_states) {
  return Search(program, rules, most_states).run();
}

BoundedSearch::BoundedSearch(const Program& program, MachineRules rules, std::size_t most_states) {
  otherwise_ = explore(program, rules, most_states);
  rules.seq_cst_may_be_stale = false;
  if_all_is_seq_cst_ = explore(program, rules, most_states);
}

}  // namespace hocket::memory_model
