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

/// An action is an access of a step to an object. The class hash is the sum of all actions.
class Actions {
 public:
  explicit constexpr Actions(RaceChecks& races) : races_(races) {}

  /// Adds the action to the class hash. A write moves the object to its next version. `order` matters for
  /// data races only.
  HOCKET_INLINED void act(Object& object, Operation operation, Access access,
      std::memory_order order = std::memory_order_seq_cst) {
    object.version += access == Access::write ? 1 : 0;
    add_action(*run.current, action_word(object.key, object.version, operation, access));
    if (run.attention != Attention::none) [[unlikely]] {
      if (run.attention == Attention::to_order) [[likely]] {
        const Synchronization what = synchronization_of(object, operation, access);
        const Race* const race =
            races_.races().acted(*run.current, object, what, order, run.current->instrumented.caller);
        if (race != nullptr) [[unlikely]]
          races_.fail_by_race(*race);
      } else {
        attend_to_all(object, operation, access, order);
      }
    }
  }

  /// Notes an operation of the current thread if it is weaker than seq_cst: see WeakerOrders. `where` is the
  /// call that asked for it; if it is no place, Thread::caller identifies the code. `on_failure` equals
  /// `order` except for compare-exchanges. `object` is nullptr for a fence.
  HOCKET_INLINED void note_order(const Object* object, Operation operation, std::memory_order order,
      std::memory_order on_failure, Where where) {
    if (order == std::memory_order_seq_cst && on_failure == std::memory_order_seq_cst) [[likely]]
      return;
    const bool keeps_newest_only = object != nullptr && !object->kind->keeps_stores;
    const std::uint64_t asked = AskedOrder::packed(operation, order, on_failure, keeps_newest_only);
    const void* const code = where.line() != 0 ? where.file_name() : run.current->instrumented.caller;
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
    const std::uint64_t key =
        (reinterpret_cast<std::uintptr_t>(code) * kFactor) ^ ((asked + where.line()) * kFactor);
    if (noted_orders_[key >> (64 - kBitsOfPlace)] != key) [[unlikely]]
      note_order_newly(object, asked, where, key);
  }

  /// Says what value the compare-exchange that the current thread is about to stop before compares with.
  static void expect(std::uint64_t fingerprint, bool weak) {
    run.current->observed.expected = fingerprint;
    run.current->observed.may_fail_spuriously = weak && run.options.spurious_failures;
  }

  /// An operation on an atomic of which older values are kept.
  struct StoreAccess {
    const Released* from;  ///< what comes with the value that it reads, or nullptr
    Released* to;          ///< where to put what comes with the value that it writes, or nullptr
    const void* code;      ///< the machine instruction that asked for it, if Thread::caller does not say
    bool is_older;         ///< it does not read, or follow, the newest value
  };

  /// Adds an action that touches no object, or the outcome of a choice.
  static void act_alone(Operation operation, std::uint64_t outcome);

  /// A fence, which is not a step.
  void fence(std::memory_order order, Where where);
  /// Forgets which operations of the last search were weaker than seq_cst.
  void forget_weaker_orders();
  /// Forgets which of them this execution has noted: it notes all of them.
  void note_all_orders();
  /// Whether any operation of this search asked for less than seq_cst.
  [[nodiscard]] bool has_met_weaker_order() const { return has_met_weaker_order_; }
  /// And one of them was on an atomic of which older values could be kept.
  [[nodiscard]] bool could_keep_stores() const { return could_keep_stores_; }

  /// The rest of act() for an operation on an atomic of which older values are kept, which is in the class
  /// hash already.
  void attend_to_store(
      Object& object, Operation operation, Access access, std::memory_order order, const StoreAccess& store);

 private:
  /// The calls that have asked for an order weaker than seq_cst and that WeakerOrders already knows. Each is
  /// stored as a hash, in the slot given by its upper bits.
  static constexpr unsigned kBitsOfPlace = 9;

  [[gnu::noinline]] void attend_to_all(
      Object& object, Operation operation, Access access, std::memory_order order);
  /// What attend_to_all() does beyond the order of threads. `version`: that of the value that it has seen.
  void attend_beyond_order(Object& object, Access access, std::uint32_t version);
  void note_seq_cst_fence();
  void act_on_parts(Thread& self, Access access);
  [[gnu::noinline, gnu::cold]] void note_order_newly(
      const Object* object, std::uint64_t asked, Where where, std::uint64_t key);

  RaceChecks& races_;
  bool has_met_weaker_order_ = false;
  bool could_keep_stores_ = false;
  std::uint64_t noted_orders_[std::size_t{1} << kBitsOfPlace] = {};
};

/// Adds that `thread` has read `object`, in that version, to Thread::reads_since_yield, by which it is told
/// whether the next yield is futile. However often the thread reads, the list stays about as long as there
/// are different objects and versions: it is gone through at each choice while the thread is at a yield.
void note_read_since_yield(Thread& thread, const Object& object, std::uint32_t version);

}  // namespace hocket::runtime
