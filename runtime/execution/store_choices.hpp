// Atomic operations that may read an older store than the newest: see runtime/weak_memory.
#pragma once

#include "../weak_memory/weak_memory.hpp"
#include "scheduling.hpp"

namespace hocket::runtime {

class StoreChoices {
 public:
  constexpr StoreChoices(
      const ThreadTable& threads, Pace& pace, RaceChecks& races, Actions& actions, Scheduling& scheduling)
      : threads_(threads), pace_(pace), races_(races), actions_(actions), scheduling_(scheduling) {}

  /// An execution begins that keeps stores.
  void begin();
  void begin_search() { met_ = {}; }

  /// Lets the chooser decide which store an operation reads, or which one its own comes behind. To be called
  /// when it is the thread's turn, while `keeps_stores`. Returns nullptr when the execution is being ended.
  /// May raise the orders of the request: see ExecutionOptions::raised_orders.
  [[nodiscard]] Store* choose_store(AtomicRequest& request);

  /// Whether a compare-exchange that finds what it expects in the store that was chosen last fails there all
  /// the same: because that store was offered to it for this alone, or by another choice.
  [[nodiscard]] bool fails_at_chosen_store(Where where);

  /// The operation on the store that was chosen. If it `writes`, then `desired`, of as many bytes. Its order
  /// is that of the request, or on_failure where a compare-exchange does not write. Returns whether its store
  /// is now the newest one.
  bool act_on_store(const AtomicRequest& request, Store& chosen, bool writes, const void* desired);

  /// Adds an action on the threads that wait for a notification of `object` to the class hash.
  void act_on_queue(Object& object, Operation operation);

  /// Whether an operation could have read more stores than there are codes, in this search.
  [[nodiscard]] bool passes_over_stores() const { return met_.passes_over_stores; }
  /// Whether operations of this search could have read older values beyond ExecutionRules::stale_limit.
  [[nodiscard]] bool left_out_stale() const { return met_.left_out_stale; }
  /// Whether ExecutionRules::reads_older_once has left out values, in this search.
  [[nodiscard]] bool left_out_rereads() const { return met_.left_out_rereads; }
  /// How many operations of this execution have read an older value than the newest, or stored one that is
  /// not the newest.
  [[nodiscard]] static std::uint32_t stale_choices();

 private:
  /// Facts of a search.
  struct Met {
    bool passes_over_stores = false;
    bool left_out_stale = false;
    bool left_out_rereads = false;
  };

  [[gnu::cold]] void raise_order(AtomicRequest& request);
  /// Does not offer the older values that the last round of the thread's await, or of its loop that polls,
  /// has read.
  void leave_out_last_round(const StoreHistory& history);
  /// Tells the recording what the next choice is about.
  static void offer_stores(const AtomicRequest& request, const StoreHistory& history);

  const ThreadTable& threads_;
  Pace& pace_;
  RaceChecks& races_;
  Actions& actions_;
  Scheduling& scheduling_;
  Met met_;
};

}  // namespace hocket::runtime
