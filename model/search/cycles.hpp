// The search for cycles on which a model may stay for ever although it should not: a depth-first search
// through a product, which looks for strongly connected parts with an accepting node (Gabow, Path-based
// depth-first search for strong and biconnected components, 2000).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../states/stores.hpp"
#include "exploration.hpp"
#include "products.hpp"

namespace hocket::model {

template <class Product>
class Cycles {
 public:
  using Node = typename Product::Node;

  Cycles(Exploration<typename Product::Checked>& exploration, Product product)
      : exploration_(exploration),
        product_(std::move(product)),
        roots_(product_.initial()),
        set_(keeps_for(exploration.options.store)) {}

  /// Returns whether every node was visited that has to be.
  bool run() {
    while (!frames_.empty() || enter_root()) {
      const auto figures = [&] { return std::pair<std::uint64_t, std::size_t>(set_.size(), bytes()); };
      if (exploration_.limits.reached(1, figures)) return false;
      Frame& frame = frames_.back();
      if (frame.next == frame.end) {
        leave();
        continue;
      }
      const Edge edge = edges_[frame.next++];
      ++transitions_;
      if (!follow(edge)) break;
    }
    if (product_.kind() == ViolationKind::accepted_path) {
      exploration_.report.product_states = set_.size();
      exploration_.report.product_transitions = transitions_;
    }
    return true;
  }

 private:
  struct Record {
    std::uint32_t order = 0;  ///< the number among the open nodes, from 1; 0: not visited, or no more open
    bool is_visited = false;
    bool is_on_stack = false;
  };
  using Edge = ProductEdge<Node>;
  /// A node on the stack. Its edges are those from `begin` to `end` in a common array.
  struct Frame {
    Node node;
    std::uint32_t choice;  ///< by which it was reached
    std::size_t begin;
    std::size_t next;  ///< the edge that is followed next
    std::size_t end;
  };
  /// A strongly connected part of the nodes on the stack and of those that lead back to it. It consists of
  /// the open nodes from `first` on, up to the next part.
  struct Part {
    std::uint32_t first;
    bool is_accepting;
  };

  Record& record_of(const Node& node) { return *set_.insert(product_.fingerprint_of(node), node).record; }
  [[nodiscard]] bool is_on_stack(const Node& node) {
    const Record* const record = set_.find(product_.fingerprint_of(node), node);
    return record != nullptr && record->is_on_stack;
  }

  /// Returns whether there was one that was not visited.
  bool enter_root() {
    while (!roots_.empty()) {
      const Node root = std::move(roots_.back());
      roots_.pop_back();
      if (record_of(root).is_visited) continue;
      enter(root, 0);
      return true;
    }
    return false;
  }

  void enter(const Node& node, std::uint32_t choice) {
    open_.push_back(node);
    const auto order = static_cast<std::uint32_t>(open_.size());
    record_of(node) = {order, true, true};
    parts_.push_back({order, product_.is_accepting(node)});
    frames_.push_back({node, choice, edges_.size(), edges_.size(), 0});
    product_.append_edges(node, edges_, [this](const Node& next) { return is_on_stack(next); });
    frames_.back().end = edges_.size();
  }

  void leave() {
    const Frame& frame = frames_.back();
    Record& record = record_of(frame.node);
    record.is_on_stack = false;
    if (parts_.back().first == record.order) {
      for (std::size_t n = parts_.back().first - 1; n < open_.size(); ++n) record_of(open_[n]).order = 0;
      open_.resize(parts_.back().first - 1);
      parts_.pop_back();
    }
    edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(frame.begin), edges_.end());
    frames_.pop_back();
  }

  /// Returns whether the search goes on.
  bool follow(const Edge& edge) {
    const Record record = record_of(edge.node);
    if (!record.is_visited) {
      enter(edge.node, edge.choice);
      return true;
    }
    if (record.order == 0) return true;
    // The edge closes a cycle through all parts after the one that it leads to.
    while (parts_.back().first > record.order) {
      const bool is_accepting = parts_.back().is_accepting;
      parts_.pop_back();
      parts_.back().is_accepting |= is_accepting;
    }
    if (!parts_.back().is_accepting) return true;
    report_path(parts_.back().first);
    return false;  // one path is enough: many others run through the same states
  }

  /// The open nodes from `first` on are strongly connected, and one of them is accepting.
  void report_path(std::uint32_t first) {
    std::vector<std::uint32_t> choices;
    std::size_t root = 0;  // the frame whose node is the first one
    while (record_of(frames_[root].node).order != first) ++root;
    for (std::size_t n = 1; n <= root; ++n) choices.push_back(frames_[n].choice);
    std::uint32_t accepting = first;
    while (!product_.is_accepting(open_[accepting - 1])) ++accepting;
    if (accepting != first) append_way(first, first, accepting, choices);
    const std::size_t cycle_begin = choices.size();
    append_way(first, accepting, accepting, choices);
    report_cycle(exploration_, product_.kind(), std::move(choices), 0, cycle_begin);
  }

  /// Appends the choices of a shortest way of at least one step between two open nodes, through open nodes
  /// from `first` on.
  void append_way(
      std::uint32_t first, std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t>& choices) {
    struct Visit {
      std::uint32_t before = 0;
      std::uint32_t choice = 0;
    };
    std::vector<Visit> visits(open_.size() - first + 1);
    std::vector<std::uint32_t> pending{from};
    std::vector<Edge> edges;
    for (std::size_t n = 0; visits[to - first].before == 0; ++n) {
      edges.clear();
      product_.append_edges(open_[pending[n] - 1], edges, kAllIsOnStack);  // any way will do
      for (const Edge& edge : edges) {
        const std::uint32_t order = record_of(edge.node).order;
        if (order < first || visits[order - first].before != 0) continue;
        visits[order - first] = {pending[n], edge.choice};
        pending.push_back(order);
      }
    }
    const auto end = static_cast<std::ptrdiff_t>(choices.size());
    std::uint32_t at = to;
    do {
      choices.insert(choices.begin() + end, visits[at - first].choice);
      at = visits[at - first].before;
    } while (at != from);
  }

  [[nodiscard]] std::size_t bytes() const {
    return set_.bytes_after_insert() + frames_.capacity() * sizeof(Frame) + edges_.capacity() * sizeof(Edge) +
           open_.capacity() * sizeof(Node) + parts_.capacity() * sizeof(Part);
  }

  Exploration<typename Product::Checked>& exploration_;
  Product product_;
  std::vector<Node> roots_;  ///< that were not entered yet
  StateSet<Node, Record> set_;
  std::vector<Frame> frames_;
  std::vector<Edge> edges_;  ///< of all frames, one after the other
  std::vector<Node> open_;   ///< visited, in parts that the search has not left yet
  std::vector<Part> parts_;
  std::uint64_t transitions_ = 0;
};

}  // namespace hocket::model
