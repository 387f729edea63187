// Atomic operations that may read an older store than the newest: see runtime/weak_memory.
#pragma once

#include "../weak_memory/weak_memory.hpp"
#include "scheduling.hpp"

namespace hocket::runtime {

class StoreChoices : public Scheduling {
 public:
  /// Lets the chooser decide which store an operation reads, or which one its own comes behind. To be called
  /// when it is the thread's turn, while `keeps_stores`. Returns nullptr when the execution is being ended.
  /// May raise the orders of the request: see ExecutionOptions::raised_orders.
  [[nodiscard]] Store* choose_store(AtomicRequest& request);

  /// Whether the store that was chosen last was offered to a compare-exchange that must fail there for no
  /// reason.
  [[nodiscard]] bool must_fail() const;
  /// Whether a compare-exchange that succeeds at the store that was chosen last may also fail there.
  [[nodiscard]] bool may_fail() const;

  /// The operation on the store that was chosen. If it `writes`, then `desired`, of as many bytes. Its order
  /// is that of the request, or on_failure where a compare-exchange does not write. Returns whether its store
  /// is now the newest one.
  bool act_on_store(const AtomicRequest& request, Store& chosen, bool writes, const void* desired);

 protected:
  [[gnu::cold]] void raise_order(AtomicRequest& request);
  /// Does not offer the older values that the last round of the thread's await, or of its loop that polls,
  /// has read.
  void leave_out_last_round(const StoreHistory& history);
  /// Tells the recording what the next choice is about.
  void offer_stores(const AtomicRequest& request, const StoreHistory& history);
  void begin_to_keep_stores();
  /// Adds an action on the threads that wait for a notification of `object` to the class hash.
  void act_on_queue(Object& object, Operation operation);
};

}  // namespace hocket::runtime
