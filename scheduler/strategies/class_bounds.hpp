// The least price of getting to a state, over all orders of its events.
//
// Dynamic programming over the cuts below it (Musuvathi & Qadeer, Partial-Order Reduction for Context-Bounded
// State Exploration, section 3.2): for each cut and each thread that may have come last, the least price of
// an order that ends so. What is known is kept by the hash of the cut, so it serves every execution that
// shares it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "../graph/graph.hpp"
#include "../graph/state_table.hpp"
#include "strategy.hpp"

namespace hocket {

/// Thrown out of the middle of work that a limit or Ctrl-C has made pointless.
struct SearchStopped {};

class ClassBounds {
 public:
  /// Prices from here on are not told apart.
  static constexpr unsigned kMost = Graph::kImpossible - 1;

  ClassBounds(const Graph& graph, StateTable& table) : graph_(graph), table_(table) {}

  /// To be called once for each cut that is looked at. The cuts of one execution may be too many to look at.
  void poll() {
    if ((++polls_ & 0x3ffU) == 0 && must_stop && must_stop()) throw SearchStopped{};
  }
  /// As Strategy::must_stop. Then what is asked for a cut throws SearchStopped.
  std::function<bool()> must_stop;

  /// The row of a cut, with its costs. Other rows move when this one is new.
  StateTable::Row* row(Graph::Cut cut);

  /// The row that says what is done of what follows a cut in the state in which `kept` alone can go on (see
  /// Graph::kept_running). That of a thread has no costs: those are in the row of the cut.
  StateTable::Row* row(Graph::Cut cut, unsigned kept);
  /// The same for the state that `next` leads to from a cut with these costs and that hash; nullptr where
  /// that is not known yet.
  const StateTable::Row* after(
      const StateTable::Row& costs, const runtime::ClassHash& hash, const Successor& next);
  /// That of the state before the first step; nullptr where that is not known yet.
  StateTable::Row* root();

  /// The row of the cut that the execution is at. nullptr: when it was there before, it was about to do
  /// something else.
  StateTable::Row* visit(Graph::Cut cut, const Graph::Situation& situation);

  /// The least price of getting to the cut.
  [[nodiscard]] unsigned bound(const StateTable::Row& row) const;
  /// The least price of getting to the cut, so that `kept` alone can go on there, and of going on with
  /// `next`.
  [[nodiscard]] unsigned bound(const StateTable::Row& row, Graph::Cut cut, const Graph::Situation& situation,
      unsigned kept, const Successor& next) const;

  /// The events of the cut in an order that has the least price.
  std::vector<OrderedChoice> cheapest_order(Graph::Cut cut);

 private:
  using Count = Graph::Count;

  void fill(Graph::Cut cut);
  StateTable::Row* find(const runtime::ClassHash& hash, unsigned last);
  void add_rows_of_kept_threads(Graph::Cut cut, const runtime::ClassHash& hash);
  /// The hash of the state of a cut in which the thread with that key alone can go on.
  [[nodiscard]] static runtime::ClassHash hash_where_kept(runtime::ClassHash hash, std::uint64_t key);
  [[nodiscard]] static unsigned cost(const StateTable::Row& row, unsigned number);

  const Graph& graph_;
  StateTable& table_;
  std::vector<Count> stack_;  ///< cuts to be filled, graph_.width() counts each
  std::vector<Count> scratch_;
  std::vector<Count> before_;
  std::vector<unsigned> maximal_;
  std::vector<std::uint8_t> costs_;
  std::uint32_t polls_ = 0;
  bool has_kept_threads_ = false;
};

}  // namespace hocket
