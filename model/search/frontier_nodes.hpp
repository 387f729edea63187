// The frontier of a depth-bounded search: the states from which it goes on with a greater bound.
//
// A node keeps its state, the steps from the initial state, or the steps from the frontier state before it,
// which makes the nodes a tree: Udupa, Desai and Rajamani, Depth Bounded Explicit-State Model Checking (SPIN
// 2011), section 4. A node is freed when the search has gone on from it and no other node continues it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../api/options.hpp"

namespace hocket::model {

using FrontierNode = std::uint32_t;
inline constexpr FrontierNode kNoNode = ~FrontierNode{0};

template <typename State>
class FrontierNodes {
 public:
  /// The first node stands for the initial state, and is never freed.
  FrontierNodes(Frontier kind, const State& initial) : kind_(kind), nodes_(1) {
    if (kind == Frontier::states) nodes_.front().state.push_back(initial);
  }

  static constexpr FrontierNode kRoot = 0;

  /// Adds the state that `choices` lead to from the state of `origin`, at `depth`. A node that is only
  /// counted keeps neither state nor steps.
  FrontierNode add(FrontierNode origin, std::vector<std::uint32_t> choices, const State& state,
      std::uint32_t depth, bool is_only_counted) {
    const FrontierNode added = new_node();
    Node& node = nodes_[added];
    node.depth = depth;
    if (!is_only_counted) {
      node.parent = kind_ == Frontier::tree ? origin : kRoot;
      if (kind_ != Frontier::tree) {
        const std::vector<std::uint32_t>& before = nodes_[origin].choices;
        choices.insert(choices.begin(), before.begin(), before.end());
        choices.shrink_to_fit();
      }
      node.choices = std::move(choices);
      if (kind_ == Frontier::states) node.state.push_back(state);
      ++nodes_[node.parent].children;
    }
    bytes_ += bytes_of(node);
    return added;
  }

  /// The state was reached at less than the bound: the search goes on from there.
  void remove(FrontierNode node) { nodes_[node].is_removed = true; }
  [[nodiscard]] bool is_removed(FrontierNode node) const { return nodes_[node].is_removed; }
  [[nodiscard]] std::uint32_t depth(FrontierNode node) const { return nodes_[node].depth; }
  [[nodiscard]] FrontierNode parent(FrontierNode node) const { return nodes_[node].parent; }
  /// The steps from the parent's state.
  [[nodiscard]] std::span<const std::uint32_t> choices(FrontierNode node) const {
    return nodes_[node].choices;
  }
  /// The state, for Frontier::states.
  [[nodiscard]] const State& state(FrontierNode node) const { return nodes_[node].state.front(); }

  /// The steps from the initial state.
  [[nodiscard]] std::vector<std::uint32_t> path_to(FrontierNode node) const {
    std::vector<std::uint32_t> path;
    for (; node != kNoNode; node = nodes_[node].parent)
      path.insert(path.begin(), nodes_[node].choices.begin(), nodes_[node].choices.end());
    return path;
  }

  /// The search will not go on from `node` any more. Numbers of freed nodes are given to new ones.
  void finish(FrontierNode node) {
    nodes_[node].is_finished = true;
    while (node != kRoot && nodes_[node].is_finished && nodes_[node].children == 0) {
      const FrontierNode parent = nodes_[node].parent;
      bytes_ -= bytes_of(nodes_[node]);
      nodes_[node] = {};
      free_.push_back(node);
      if (parent == kNoNode) return;
      --nodes_[parent].children;
      node = parent;
    }
  }

  /// The memory of the nodes that are in use.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Node {
    FrontierNode parent = kNoNode;
    std::uint32_t depth = 0;
    std::uint32_t children = 0;
    bool is_removed = false;
    bool is_finished = false;
    std::vector<std::uint32_t> choices{};
    std::vector<State> state{};  ///< one with Frontier::states, otherwise none
  };

  static std::size_t bytes_of(const Node& node) {
    return sizeof(Node) + node.choices.capacity() * sizeof(std::uint32_t) +
           node.state.capacity() * sizeof(State);
  }

  FrontierNode new_node() {
    if (free_.empty()) {
      nodes_.emplace_back();
      return static_cast<FrontierNode>(nodes_.size() - 1);
    }
    const FrontierNode node = free_.back();
    free_.pop_back();
    return node;
  }

  Frontier kind_;
  std::vector<Node> nodes_;
  std::vector<FrontierNode> free_;
  std::size_t bytes_ = 0;
};

}  // namespace hocket::model
