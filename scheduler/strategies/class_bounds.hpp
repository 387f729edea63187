// The least price of reaching a state, over all orders of its events.
//
// It is computed by dynamic programming over the cuts below the state (Musuvathi & Qadeer, Partial-Order
// Reduction for Context-Bounded State Exploration, section 3.2): for each cut and each thread that may have
// come last, the least price of an order that ends so. Results are stored by the hash of the cut, so every
// execution that shares the cut can use them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../graph/graph.hpp"
#include "../graph/state_table.hpp"
#include "strategy.hpp"

namespace hocket {

/// Thrown to abandon work that a limit or Ctrl-C has made pointless.
struct SearchStopped {};

class ClassBounds {
 public:
  /// All prices from here on are treated as equal.
  static constexpr unsigned kMost = graph::kImpossible - 1;

  ClassBounds(const Graph& graph, StateTable& table) : graph_(graph), table_(table) {}

  /// To be called once for each cut that is examined, because one execution may have too many cuts to examine
  /// them all.
  void poll() {
    if ((++polls_ & 0x3ffU) == 0 && must_stop && must_stop()) throw SearchStopped{};
  }
  /// As Strategy::must_stop. When it returns true, queries about a cut throw SearchStopped.
  std::function<bool()> must_stop;

  /// The row of a cut, with its costs. If the row is new, other rows may move.
  StateTable::Row* row(graph::Cut cut);

  /// The row of the state of a cut in which only `kept` can run (see Enabled::kept_running); it says up to
  /// which bound that state is done. The row for a thread has no costs: those are in the row of the cut.
  StateTable::Row* row(graph::Cut cut, unsigned kept);
  /// The row of the state that `next` leads to from a cut with the given costs and hash; nullptr if that
  /// state is not known yet.
  const StateTable::Row* after(
      const StateTable::Row& costs, const runtime::ClassHash& hash, const graph::Successor& next);
  /// The row of the state before the first step; nullptr if that state is not known yet.
  StateTable::Row* root();

  /// The row of the cut that the execution is at, or nullptr if an earlier execution was about to do
  /// something else at the same cut.
  StateTable::Row* visit(graph::Cut cut, const graph::Enabled& enabled);

  /// The least price of reaching the cut.
  [[nodiscard]] unsigned bound(const StateTable::Row& row) const;
  /// The least price of reaching the cut so that only `kept` can run there, and of continuing with `next`.
  [[nodiscard]] unsigned bound(const StateTable::Row& row, graph::Cut cut, const graph::Enabled& enabled,
      unsigned kept, const graph::Successor& next) const;

  /// False if a value was chosen in a step that, by the order of what happened before, is a step of one
  /// thread or of another one, which it has joined; and threads held no_preemption guards. Then a cut at
  /// which the value is chosen stands for several states, which differ in the thread that may go on alone
  /// afterwards, and its row does not tell them apart.
  [[nodiscard]] bool tells_states_apart() const { return !has_values_in_two_steps_ || !has_kept_threads_; }

  /// To be called when an execution is over and recorded.
  void ended(runtime::Outcome outcome) { misses_leaks_ |= graph_.recording.has_lost_a_leak(outcome); }
  [[nodiscard]] bool is_complete() const { return tells_states_apart() && !misses_leaks_; }
  /// What a report says if the search is not complete.
  [[nodiscard]] std::string note() const {
    if (!tells_states_apart())
      return "a value is chosen after a join, and a no_preemption guard begins after that, so some schedules "
             "may have been left out; icb-por leaves out none";
    return misses_leaks_ ? graph::Recording::kLostLeak : "";
  }

  /// The events of the cut in an order that has the least price.
  std::vector<OrderedChoice> cheapest_order(graph::Cut cut);

 private:
  using Count = graph::EventCount;

  void fill(graph::Cut cut);
  StateTable::Row* find(const runtime::ClassHash& hash, unsigned last);
  void add_rows_of_kept_threads(graph::Cut cut, const runtime::ClassHash& hash);
  /// The hash of the state of a cut in which only the thread with that key can run.
  [[nodiscard]] static runtime::ClassHash hash_where_kept(runtime::ClassHash hash, std::uint64_t key);
  [[nodiscard]] static unsigned cost(const StateTable::Row& row, unsigned number);

  const Graph& graph_;
  StateTable& table_;
  std::vector<Count> stack_;  ///< cuts to be filled, graph_.recording.width() counts each
  std::vector<Count> scratch_;
  std::vector<Count> before_;
  std::vector<unsigned> maximal_;
  std::vector<std::uint8_t> costs_;
  std::uint32_t polls_ = 0;
  bool has_kept_threads_ = false;
  bool has_values_in_two_steps_ = false;
  bool misses_leaks_ = false;
};

}  // namespace hocket
