// icb that ends an execution when it reaches a state that an earlier execution has covered: the CONSTRAINT of
// Holzmann & Florian, Model Checking with Bounded Context Switching (Formal Aspects of Computing, 2011),
// Figure 3, with happens-before graphs as states. It is complete within each bound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../../runtime/terms/sabotage.hpp"
#include "../graph/recording.hpp"
#include "../graph/state_table.hpp"
#include "icb.hpp"
#include "shared_states.hpp"

namespace hocket {

// When a state that was reached before covers the current point, for the strategies that remember states.
//
// An earlier visit with fewer preemptions covers everything that follows, whichever thread came last:
// continuing with another thread costs at most one preemption, and at least one was saved. With equally many
// preemptions, the same thread must have come last. If switching away from a thread is free, it counts as no
// thread. Bounds are searched in ascending order, so the first visit is the cheapest.

/// The stable key of the thread that came last if switching away from it costs something; otherwise 0.
inline std::uint64_t last_that_counts(const runtime::LogEntry& entry) {
  if (runtime::is_sabotaged(runtime::Sabotage::no_last_thread_in_cache_key)) return 0;
  return entry.switch_price != 0 ? runtime::execution.thread(entry.previous).key : 0;
}

/// Whether the happens-before graph does not determine what may follow the current point.
inline bool is_more_than_its_graph(const runtime::LogEntry& entry) {
  // The graph contains the choices of values, but not the point where one is being made.
  if (entry.kind == runtime::LogEntry::value)
    return !runtime::is_sabotaged(runtime::Sabotage::values_make_states);
  // Only the thread that came last may run, which a price cannot express.
  const runtime::Thread& last = runtime::execution.thread(entry.previous);
  const bool is_sealed = last.is_sealed && entry.switch_price != 0;
  return (last.preemption_forbidden != 0 || is_sealed) && runtime::run.enabled.contains(last.index) &&
         !runtime::is_sabotaged(runtime::Sabotage::guarded_states_are_known);
}

/// How many bytes the states of a search may take: half of what the user allows for the search, or else a
/// share of the machine's memory that leaves room for other searches and for the frontier.
std::size_t memory_for_states(const Options& options);

/// Remembers every state, up to a memory limit.
class HbCacheRules : public IcbRules {
 public:
  explicit HbCacheRules(const Options& options);

  [[nodiscard]] static constexpr bool watches_new() { return true; }

  bool prunes(const runtime::ChoicePoint& point, unsigned bound, std::vector<Child>& /*children*/) {
    if (is_more_than_its_graph(point.entry)) return false;
    const std::uint64_t key = last_that_counts(point.entry);
    const auto reached = static_cast<std::uint8_t>(std::min(bound, kMostBound) + 1);
    if (shared_ != nullptr) [[unlikely]]
      return shared_->covers(state(), key, reached);
    const unsigned last = key == 0 ? 0 : numbers_.number(key);
    const runtime::ClassHash state = this->state();
    StateTable::Row* row = table_.find(state);
    if (row == nullptr) {
      if (is_full()) return false;
      table_.widen(numbers_.size());
      row = table_.insert(state);
      row->done = reached;
    } else if (row->done < reached || runtime::is_sabotaged(runtime::Sabotage::equal_prices_cover) ||
               (last < table_.width() && row->costs()[last] != 0)) {
      return true;
    } else {
      table_.widen(numbers_.size());
      row = table_.find(state);
    }
    row->costs()[last] = reached;
    return false;
  }

  /// Forgetting states only means that less is cut short.
  void forget() { table_ = {}; }

  [[nodiscard]] std::unique_ptr<SharedStates> share_states() const {
    return std::make_unique<SharedStates>(table_, numbers_, memory_limit_);
  }
  void use(SharedStates* states) {
    shared_ = states;
    forget();
  }

  [[nodiscard]] std::size_t bytes() const { return table_.bytes(); }
  [[nodiscard]] std::string note() const;

 private:
  // Bounds above this are treated as equal, and then only a state with the same last thread is covered.
  static constexpr unsigned kMostBound = 253;

  /// The happens-before graph and, where only so many operations may read older values, how many have.
  [[nodiscard]] runtime::ClassHash state() const {
    runtime::ClassHash state = runtime::run.hash;
    if (limits_stale_) [[unlikely]]
      state.add(0, runtime::StoreChoices::stale_choices());
    return state;
  }

  bool is_full() {
    was_full_ |= memory_limit_ != 0 && table_.bytes_after_insert() > memory_limit_;
    return was_full_;
  }

  graph::ThreadNumbers numbers_;
  SharedStates* shared_ = nullptr;  ///< in a job: in place of the table
  StateTable table_;                ///< done: 1 + the least bound at which the state was reached
  std::size_t memory_limit_;
  bool limits_stale_;
  bool was_full_ = false;
};

}  // namespace hocket
