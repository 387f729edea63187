// The search for cycles within a bound on preemptions.
//
// A cycle is within the bound if a path shows it that has at most so many preemptions: the steps to the
// cycle, and those of one round of it, after which a node of the product repeats. So a preemption of the
// round counts once, although it comes again in each round, and leading back into the round counts nothing.
// That is how Holzmann and Florian count (Model Checking with Bounded Context Switching, Formal Aspects of
// Computing, 2011), whose nested search has this path on its stack.
//
// First all nodes within the bound are met. If no accepting one lies on a cycle, whatever its preemptions,
// that is all. Otherwise a search for a way back begins in each node of such cycles, with the preemptions
// that the way to the node has left over. That may take the square of the time, but the bound is small, and
// few nodes are within what is left over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../states/records.hpp"
#include "../states/stores.hpp"
#include "conclusion.hpp"
#include "exploration.hpp"
#include "products.hpp"

namespace hocket::model {

template <class Product>
class BoundedCycles {
 public:
  using Node = typename Product::Node;

  BoundedCycles(Exploration<typename Product::Checked>& exploration, Product product)
      : exploration_(exploration), product_(std::move(product)), set_(keeps_for(exploration.options.store)) {}

  /// Reports the cycle with the fewest preemptions, if there is one within the bound. The coverage is not
  /// everything if there may be one beyond the bound.
  Coverage run() {
    const unsigned last_bound = bound_ = exploration_.options.max_preemptions;
    for (const Node& root : product_.initial()) ways_.push_back({number_of(root)});
    search(ways_, reached_);
    if (product_.kind() == ViolationKind::accepted_path) {
      exploration_.report.product_states = nodes_.size();
      exploration_.report.product_transitions = edges_.size();
    }
    const std::vector<std::uint32_t> to_cycles = ways_to_cycles();
    in_round_.resize(to_cycles.empty() ? 0 : reached_.size());
    bool leaves_out = !to_cycles.empty();
    for (bound_ = 0; leaves_out && bound_ <= last_bound; ++bound_) {
      leaves_out = false;
      for (const std::uint32_t way : to_cycles) {
        if (ways_[way].preemptions <= bound_ && report_round(way)) return {true, false};
        if (was_stopped_) return {false, false};
        leaves_out |= cuts_ || ways_[way].preemptions > bound_;
      }
    }
    return {!was_stopped_, to_cycles.empty()};
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  struct Record {
    std::uint32_t number = 0;  ///< the place in nodes_
  };
  struct Edge {
    std::uint32_t to;
    std::uint32_t choice;
    Process process;
  };
  struct Numbered {
    std::size_t first_edge = 0;
    std::size_t end = 0;
    std::uint64_t able = 0;  ///< the processes that have a step in the model, as bits
    std::uint32_t component = 0;
    bool is_accepting = false;
  };
  /// How a search has come to a node.
  struct Visit {
    std::uint32_t node;
    Process last = kNoProcess;
    unsigned preemptions = 0;
    bool has_met_accepting = false;  ///< in the round
    std::uint32_t choice = 0;
    std::uint32_t before = kNone;
  };
  struct NotReached : PreemptionRecord {
    NotReached() : PreemptionRecord{0, ~0U, 0} {}
  };
  /// By node, and whether the round has met an accepting one.
  using Reached = std::vector<NotReached>;
  static std::size_t place_of(const Visit& visit) {
    return 2 * std::size_t{visit.node} + (visit.has_met_accepting ? 1 : 0);
  }

  /// Its edges are computed when a search comes there within the bound.
  std::uint32_t number_of(const Node& node) {
    const auto [record, is_new] = set_.insert(product_.fingerprint_of(node), node);
    if (is_new) {
      record->number = static_cast<std::uint32_t>(nodes_.size());
      waiting_.emplace(record->number, node);
      nodes_.push_back({.is_accepting = product_.is_accepting(node)});
      reached_.resize(2 * nodes_.size());
    }
    return record->number;
  }

  void compute_edges(std::uint32_t number) {
    const auto waiting = waiting_.extract(number);
    if (waiting.empty()) return;
    found_.clear();
    product_.append_edges(waiting.mapped(), found_, kAllIsOnStack);
    for (const Step<typename Product::Checked>& step : product_.steps())
      nodes_[number].able |= PreemptionRecord::bit(step.process);
    nodes_[number].first_edge = edges_.size();
    for (const ProductEdge<Node>& edge : found_)
      edges_.push_back({number_of(edge.node), edge.choice, edge.process});
    nodes_[number].end = edges_.size();
  }

  /// Goes on from `visits` within the bound, and adds the others. With `home`, it goes only through the
  /// component of that node, up to a visit of it after an accepting node, and returns whether there is one.
  bool search(std::vector<Visit>& visits, Reached& reached, std::optional<std::uint32_t> home = {}) {
    std::vector<std::uint32_t> pending;
    std::vector<std::uint32_t> later;  // with one preemption more
    for (std::uint32_t n = 0; n < visits.size(); ++n) {
      reached[place_of(visits[n])].admit({visits[n].preemptions, visits[n].last}, false);
      pending.push_back(n);
    }
    cuts_ = false;
    for (; !pending.empty(); pending.swap(later), later.clear()) {
      for (std::size_t n = 0; n < pending.size(); ++n) {
        const std::uint32_t before = pending[n];
        const Visit from = visits[before];
        if (reached[place_of(from)].least < from.preemptions) continue;
        const auto figures = [&] {
          return std::pair<std::uint64_t, std::size_t>(nodes_.size(), bytes(visits));
        };
        was_stopped_ = exploration_.limits.reached(1, figures);
        if (was_stopped_) return false;
        compute_edges(from.node);
        const bool can_continue = (nodes_[from.node].able & PreemptionRecord::bit(from.last)) != 0;
        for (std::size_t e = nodes_[from.node].first_edge; e < nodes_[from.node].end; ++e) {
          const Edge edge = edges_[e];
          const Numbered& to = nodes_[edge.to];
          if (home && to.component != nodes_[*home].component) continue;
          const unsigned price = can_continue && edge.process != from.last ? 1 : 0;
          const Visit visit{edge.to, edge.process, from.preemptions + price,
              home && (from.has_met_accepting || to.is_accepting), edge.choice, before};
          const bool is_home = visit.has_met_accepting && edge.to == *home;
          if (visit.preemptions > bound_) {
            cuts_ = true;
          } else if (is_home || reached[place_of(visit)].admit({visit.preemptions, visit.last}, false)) {
            (price == 0 ? pending : later).push_back(static_cast<std::uint32_t>(visits.size()));
            visits.push_back(visit);
            if (is_home) return true;
          }
        }
      }
    }
    return false;
  }

  /// Numbers the components, and returns the ways with the fewest preemptions to nodes from which an
  /// accepting one and a way back can be reached.
  std::vector<std::uint32_t> ways_to_cycles() {
    const std::vector<bool> has_cycle = number_components();
    std::vector<std::uint32_t> result;
    for (std::uint32_t n = 0; n < ways_.size() && !was_stopped_; ++n) {
      const Visit& way = ways_[n];
      if (has_cycle[nodes_[way.node].component] && way.preemptions == reached_[place_of(way)].least)
        result.push_back(n);
    }
    return result;
  }

  /// Returns which strongly connected components have a cycle with an accepting node (Gabow, Path-based
  /// depth-first search for strong and biconnected components, 2000).
  std::vector<bool> number_components() {
    std::vector<bool> has_cycle{false};  // the number 0 is that of nodes without a component as yet
    std::vector<std::uint32_t> order(nodes_.size());
    std::vector<std::size_t> next(nodes_.size());
    std::vector<std::uint32_t> path;
    std::vector<std::uint32_t> open;
    std::vector<std::uint32_t> firsts;  // of the components on the path, their least orders
    std::uint32_t count = 0;
    const auto close = [&](std::uint32_t first) {
      bool is_cycle = open.back() != first;
      bool is_accepting = false;
      std::uint32_t node = 0;
      do {
        node = open.back();
        open.pop_back();
        nodes_[node].component = static_cast<std::uint32_t>(has_cycle.size());
        is_accepting |= nodes_[node].is_accepting;
        for (std::size_t e = nodes_[node].first_edge; e < nodes_[node].end; ++e)
          is_cycle |= edges_[e].to == node;
      } while (node != first);
      has_cycle.push_back(is_cycle && is_accepting);
    };
    for (std::uint32_t root = 0; root < nodes_.size(); ++root) {
      if (order[root] == 0) path.push_back(root);
      while (!path.empty()) {
        const std::uint32_t node = path.back();
        if (order[node] == 0) {
          order[node] = ++count;
          next[node] = nodes_[node].first_edge;
          open.push_back(node);
          firsts.push_back(count);
        }
        if (next[node] != nodes_[node].end) {
          const std::uint32_t to = edges_[next[node]++].to;
          if (order[to] == 0) path.push_back(to);
          while (nodes_[to].component == 0 && order[to] != 0 && firsts.back() > order[to]) firsts.pop_back();
          continue;
        }
        path.pop_back();
        if (firsts.back() != order[node]) continue;
        firsts.pop_back();
        close(node);
      }
    }
    return has_cycle;
  }

  /// Looks for a round within the bound that begins after this way, and reports it.
  bool report_round(std::uint32_t way) {
    const Visit& to_cycle = ways_[way];
    const std::uint32_t home = to_cycle.node;
    std::vector<Visit> round{{home, to_cycle.last, to_cycle.preemptions, nodes_[home].is_accepting}};
    const bool is_found = search(round, in_round_, home);
    for (const Visit& visit : round) in_round_[place_of(visit)] = {};
    if (!is_found) return false;
    std::vector<std::uint32_t> choices;
    const auto prepend = [&choices](const std::vector<Visit>& visits, std::uint32_t last) {
      for (; visits[last].before != kNone; last = visits[last].before) choices.push_back(visits[last].choice);
    };
    prepend(round, static_cast<std::uint32_t>(round.size() - 1));
    const std::size_t steps_of_round = choices.size();
    prepend(ways_, way);
    std::reverse(choices.begin(), choices.end());
    const std::size_t cycle_begin = choices.size() - steps_of_round;
    report_cycle(exploration_, product_.kind(), std::move(choices), round.back().preemptions, cycle_begin);
    return true;
  }

  [[nodiscard]] std::size_t bytes(const std::vector<Visit>& visits) const {
    return set_.bytes_after_insert() + waiting_.size() * sizeof(Node) + nodes_.capacity() * sizeof(Numbered) +
           edges_.capacity() * sizeof(Edge) + (ways_.capacity() + visits.capacity()) * sizeof(Visit) +
           (reached_.capacity() + in_round_.capacity()) * sizeof(NotReached);
  }

  Exploration<typename Product::Checked>& exploration_;
  Product product_;
  StateSet<Node, Record> set_;
  std::unordered_map<std::uint32_t, Node> waiting_;  ///< nodes without edges as yet, by number
  std::vector<Numbered> nodes_;
  std::vector<Edge> edges_;
  std::vector<ProductEdge<Node>> found_;
  std::vector<Visit> ways_;  ///< from the initial nodes
  Reached reached_;
  Reached in_round_;
  unsigned bound_ = 0;
  bool cuts_ = false;  ///< the last search has left something out because of the bound
  bool was_stopped_ = false;
};

}  // namespace hocket::model
