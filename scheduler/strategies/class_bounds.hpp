// The least price of reaching a state, over all orders of its events.
//
// It is computed by dynamic programming over the cuts below the state (Musuvathi & Qadeer, Partial-Order
// Reduction for Context-Bounded State Exploration, section 3.2): for each cut and each thread that may have
// come last, the least price of an order that ends so. Results are kept in a graph of states, so every
// execution that shares a cut can use them, and need not ask its recording what can follow.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "../graph/graph.hpp"
#include "../graph/state_graph.hpp"
#include "strategy.hpp"

namespace hocket {

/// Thrown to abandon work that a limit or Ctrl-C has made pointless.
struct SearchStopped {};

class ClassBounds {
 public:
  /// All prices from here on are treated as equal.
  static constexpr unsigned kMost = graph::kImpossible - 1;
  using Id = StateGraph::Id;
  static constexpr Id kNone = StateGraph::kNone;

  ClassBounds(const Graph& graph, StateGraph& states) : graph_(graph), states_(states) {}

  /// To be called once for each cut that is examined, because one execution may have too many cuts to examine
  /// them all.
  void poll() {
    if ((++polls_ & 0x3ffU) == 0 && must_stop && must_stop()) throw SearchStopped{};
  }
  /// As Strategy::must_stop. When it returns true, queries about a cut throw SearchStopped.
  std::function<bool()> must_stop;

  /// The state before the first step; kNone if it is not known yet.
  [[nodiscard]] Id root() const;
  /// To be called before each execution.
  void begin() {
    here_ = first_;
    events_ = 0;
  }
  /// The state that the execution is at, or kNone if an earlier execution was about to do something else in
  /// the same state.
  Id visit();
  /// The state that the finished execution has come to.
  Id top();

  /// The code by which the execution goes on along the arc.
  [[nodiscard]] runtime::Code code(const StateGraph::Label& label) const;
  /// What the arc adds to the hash of the class; it leaves the state that was visited last.
  [[nodiscard]] runtime::ClassHash delta(const StateGraph::Arc& arc) const;
  /// Finds the states at the ends of arcs of the state that was visited last, if those can be entered by
  /// events that did not come last in the execution that has met them.
  void find_ends(Id state);

  /// The least price of reaching the cut.
  [[nodiscard]] unsigned bound(Id cut) const;

  /// To be called when an execution is over and recorded.
  void ended(runtime::Outcome outcome) { misses_leaks_ |= graph_.recording.has_lost_a_leak(outcome); }
  [[nodiscard]] bool is_complete() const { return !misses_leaks_; }
  /// What a report says if the search is not complete.
  [[nodiscard]] std::string note() const { return misses_leaks_ ? graph::Recording::kLostLeak : ""; }

  /// The events of the finished execution in an order that has the least price.
  std::vector<OrderedChoice> cheapest_order();

 private:
  using Count = graph::EventCount;

  /// A thread that may have come last at a cut.
  struct Last {
    unsigned thread;
    unsigned number;
    unsigned cost;
    unsigned leaving;  ///< the price of going on with another thread
  };

  /// A step that can have come last at a cut.
  struct StepTo {
    unsigned thread;
    Id below;  ///< the cut without it, once that is known
  };
  /// A cut to be added when those below it are known.
  struct OpenCut {
    runtime::ClassHash hash;
    std::size_t first;  ///< in steps_; those of the next one follow
    std::size_t next;   ///< the one whose cut below has yet to be found
  };

  [[nodiscard]] static StateGraph::Label label(unsigned number, const graph::Event& event) {
    return {event.is_value ? event.value : static_cast<std::uint32_t>(event.mode),
        static_cast<std::uint16_t>(number), event.is_value};
  }
  [[nodiscard]] StateGraph::Arc* arc(Id state, const StateGraph::Label& label);
  /// The number of the thread that comes last after an arc with that label from the state.
  [[nodiscard]] unsigned last_after(Id state, const StateGraph::Label& label) const;
  /// The state of the cut that the execution is at.
  [[nodiscard]] Id after_last(Id cut) const;
  Id cut(graph::Cut cut);
  Id fill(graph::Cut cut, const runtime::ClassHash& hash);
  void open(const runtime::ClassHash& hash);
  Id add(graph::Cut cut, const runtime::ClassHash& hash, std::span<const StepTo> steps);
  void add_arcs(graph::Cut cut, const graph::Enabled& enabled, unsigned kept);
  [[nodiscard]] graph::Successor successor(const StateGraph::Label& label) const;

  const Graph& graph_;
  StateGraph& states_;
  Id first_ = kNone;  ///< the cut in which nothing has happened
  Id here_ = kNone;   ///< the cut that the execution was at after `events_` events, if that is known
  std::size_t events_ = 0;
  std::vector<OpenCut> open_;  ///< each is below the one before it
  std::vector<Count> counts_;  ///< the same cuts, graph_.recording.width() counts each
  std::vector<StepTo> steps_;  ///< that lead to them
  std::vector<Count> scratch_;
  std::vector<unsigned> maximal_;
  std::vector<Last> lasts_;
  std::uint32_t polls_ = 0;
  bool misses_leaks_ = false;
};

}  // namespace hocket
