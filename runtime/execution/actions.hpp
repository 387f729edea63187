// What steps add to the class hash of an execution, and which parts of the runtime are notified of them.
#pragma once

#include <atomic>
#include <cstdint>

#include "../objects/object.hpp"
#include "../objects/synchronization.hpp"
#include "../races/weaker_orders.hpp"
#include "../terms/action_hash.hpp"
#include "../terms/inlined.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"
#include "../threads/thread.hpp"
#include "race_checks.hpp"

namespace hocket::runtime {

/// The class hash is the sum of all actions. What adds one is step::act().
class Actions {
 public:
  explicit constexpr Actions(RaceChecks& races) : races_(races) {}

  /// An operation on an atomic of which older values are kept.
  struct StoreAccess {
    const Released* from;  ///< what comes with the value that it reads, or nullptr
    Released* to;          ///< where to put what comes with the value that it writes, or nullptr
    const void* code;      ///< the machine instruction that asked for it, if Thread::caller does not say
    bool is_older;         ///< it does not read, or follow, the newest value
  };

  /// The rest of step::act(), where all are notified. `code` is where the operation was asked for.
  void attend_to_all(
      Object& object, Operation operation, Access access, std::memory_order order, const void* code);
  /// Adds an action that touches no object, or the outcome of a choice.
  static void act_alone(Operation operation, std::uint64_t outcome);

  /// A fence, which is not a step.
  void fence(std::memory_order order, Where where);
  /// Forgets which operations of the last search were weaker than seq_cst.
  void forget_weaker_orders();
  /// An operation that the search does not know yet: see step::note_order().
  void note_order(const Object* object, std::uint64_t asked, Where where, std::uint64_t key);
  /// Whether any operation of this search asked for less than seq_cst.
  [[nodiscard]] bool has_met_weaker_order() const { return has_met_weaker_order_; }
  /// And one of them was on an atomic of which older values could be kept.
  [[nodiscard]] bool could_keep_stores() const { return could_keep_stores_; }

  /// The rest of step::act() for an operation on an atomic of which older values are kept, which is in the
  /// class hash already.
  void attend_to_store(
      Object& object, Operation operation, Access access, std::memory_order order, const StoreAccess& store);

 private:
  /// What attend_to_all() does beyond the order of threads. `version`: that of the value that it has seen.
  void attend_beyond_order(Object& object, Access access, std::uint32_t version);
  void note_seq_cst_fence();
  void act_on_parts(Thread& self, Access access);

  RaceChecks& races_;
  bool has_met_weaker_order_ = false;
  bool could_keep_stores_ = false;
};

/// Adds that `thread` has read `object`, in that version, to Thread::reads_since_yield, by which it is told
/// whether the next yield is futile. However often the thread reads, the list stays about as long as there
/// are different objects and versions: it is gone through at each choice while the thread is at a yield.
void note_read_since_yield(Thread& thread, const Object& object, std::uint32_t version);

}  // namespace hocket::runtime
