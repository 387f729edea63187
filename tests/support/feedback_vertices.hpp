// Classes whose least number of preemptions is hard to find: from a directed graph, a program is made whose
// class needs as many preemptions as a least set of vertices has that leaves no cycle (Musuvathi and Qadeer,
// Partial-Order Reduction for Context-Bounded State Exploration, Theorem 5).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <hocket/hocket.hpp>

#include "runtime/execution/execution.hpp"
#include "scheduler/graph/graph.hpp"
#include "scheduler/graph/state_graph.hpp"
#include "scheduler/strategies/class_bounds.hpp"
#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/strategy.hpp"

namespace hocket::test {

struct Digraph {
  unsigned vertices = 0;
  std::vector<std::pair<unsigned, unsigned>> edges{};
};

/// All edges between different vertices for which the mask has a bit.
inline Digraph digraph(unsigned vertices, std::uint64_t mask) {
  Digraph graph{vertices};
  for (unsigned from = 0; from < vertices; ++from) {
    for (unsigned to = 0; to < vertices; ++to) {
      if (from == to) continue;
      if ((mask & 1U) != 0) graph.edges.emplace_back(from, to);
      mask >>= 1U;
    }
  }
  return graph;
}

/// By trying all sets of vertices.
inline unsigned least_feedback_vertices(const Digraph& graph) {
  unsigned least = graph.vertices;
  for (unsigned removed = 0; removed >> graph.vertices == 0; ++removed) {
    // What is left has no cycle if all of it can be removed from where nothing leads to.
    unsigned gone = removed;
    for (unsigned turn = 0; turn < graph.vertices; ++turn) {
      unsigned entered = 0;
      for (const auto& [from, to] : graph.edges) entered |= (gone >> from & 1U) == 0 ? 1U << to : 0;
      gone |= ~entered & ((1U << graph.vertices) - 1);
    }
    const auto size = static_cast<unsigned>(std::popcount(removed));
    if (gone == (1U << graph.vertices) - 1 && size < least) least = size;
  }
  return least;
}

/// What the class of an execution needs, and what finding that has cost.
struct ClassCost {
  unsigned preemptions = 0;
  unsigned most_before = 0;  ///< the most that a state on the way of the execution needs
  std::size_t states = 0;    ///< that were examined: prefixes of the class, with the thread that came last
};

/// A thread for each vertex stores, and then loads what those threads store from which an edge leads to it.
/// In the class all stores come before the loads.
inline ClassCost cost_of_hard_class(const Digraph& graph) {
  class StoresFirst final : public Strategy {
   public:
    bool next() override {
      bounds_.begin();
      return !std::exchange(has_run_, true);
    }
    /// The body's own thread, which starts the others, or the thread with the fewest steps.
    runtime::Code choose(const runtime::ChoicePoint& point) override {
      graph_.recording.settle(runtime::run.hash);
      cost.most_before = std::max(cost.most_before, bounds_.bound(states_.cut_of(bounds_.visit())));
      if (point.entry.kind != runtime::LogEntry::narrow) return point.entry.code;
      unsigned chosen = 0;
      std::uint64_t set = point.entry.what;
      if ((set & 1U) == 0) {
        chosen = static_cast<unsigned>(std::countr_zero(set));
        for (; set != 0; set &= set - 1) {
          const auto thread = static_cast<unsigned>(std::countr_zero(set));
          if (steps_.at(thread) < steps_.at(chosen)) chosen = thread;
        }
      }
      ++steps_.at(chosen);
      return runtime::thread_code(chosen);
    }
    bool finished(const runtime::ExecutionResult& result) override {
      graph_.recording.finish(result);
      cost.preemptions = bounds_.bound(states_.cut_of(bounds_.top()));
      cost.states = states_.size();
      return graph_.recording.is_consistent();
    }
    runtime::Observer* observer() override { return &graph_.recording; }

    ClassCost cost{};

   private:
    Graph graph_{false};
    StateGraph states_;
    ClassBounds bounds_{graph_, states_};
    std::array<unsigned, 64> steps_{};
    bool has_run_ = false;
  };

  const auto body = [&graph] {
    std::vector<atomic<int>> stored(graph.vertices);
    std::vector<thread> threads;
    for (unsigned vertex = 0; vertex < graph.vertices; ++vertex) {
      threads.emplace_back([&graph, &stored, vertex] {
        stored[vertex].store(1);
        for (const auto& edge : graph.edges) {
          if (edge.second == vertex) check(stored[edge.first].load() == 1, "the load comes before the store");
        }
      });
    }
    for (thread& one : threads) one.join();
  };
  runtime::execution.forget_search();
  StoresFirst strategy;
  static_cast<void>(run_executions(strategy, body, {}));
  runtime::execution.forget_search();
  return strategy.cost;
}

}  // namespace hocket::test
