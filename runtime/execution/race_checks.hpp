// Data races: accesses to plain data, and what orders them.
#pragma once

#include <atomic>
#include <cstdint>

#include "../objects/var.hpp"
#include "../races/races.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"
#include "object_lives.hpp"

namespace hocket::runtime {

/// Races are looked for from the first access to plain data on.
class RaceChecks : public ObjectLives {
 public:
  /// An access that is no step. Fails if it makes a data race.
  [[gnu::always_inline]] void access(Var& var, VarAccess access, Where where) {
    if (!touch(var, Operation::none, where)) return;
    if (var.shadow.execution == life) [[likely]] {
      if (var.shadow.has_seen(access, current->epoch)) [[likely]]
        return;
      // Where this call comes from is known without a call.
      if (accesses_are_simple && !is_atomic(access) && current->caller != nullptr) {
        if (access_in_order(var, access, current->caller)) return;
      }
    }
    access_newly(var, access, where);
    __asm__ volatile("");  // no tail call: access_newly() looks at its return address
  }
  /// As access(), while accesses_are_simple, to a var that this execution has touched. Returns false if it
  /// does not see at once that all that the access could race with is ordered before.
  [[nodiscard, gnu::always_inline]] bool access_in_order(Var& var, VarAccess access, const void* code) {
    VarShadow& shadow = var.shadow;
    const Epoch now = current->epoch;
    if (shadow.has_seen(access, now)) [[likely]]
      return true;
    if (!shadow.is_the_last(now) && !shadow.is_all_before<Threads::few>(*current->known)) [[unlikely]]
      return false;
    if (access == VarAccess::read) {
      shadow.read = now;
      shadow.read_by = code;
    } else {
      shadow.note_write(now, code);
    }
    return true;
  }
  /// After an access to what `var` is a part of, or is in part: fails if that races with one to `var`.
  void check_against(const Var& var, VarAccess access);
  /// Whether all others have ended, and what the current thread does next is known to be ordered after it
  /// all.
  [[nodiscard]] bool follows_all_others() const;
  /// Before an operation on one of two atomics that overlap: a thread that reads what was written to
  /// either is ordered after that.
  void unite_order(Object& one, Object& other) {
    if (looks_for_races_) races_->unite(one, other);
  }
  /// Before an access to `var` as an atomic, which is a step.
  [[gnu::always_inline]] void prepare(Var& var) {
    if (!looks_for_races_ || var.life != life || var.shadow.execution != life) [[unlikely]]
      prepare_newly(var);
  }
  /// Adds `change`, 1 or -1, to the number of requests to ignore data races of the current thread's reads, or
  /// of its writes. access() does not look at it; its callers must.
  void ignore_races(VarAccess access, int change);

 protected:
  [[gnu::noinline]] void prepare_newly(Var& var);
  void access_newly(Var& var, VarAccess access, Where where);
  void begin_to_look_for_races();
  void see_whether_accesses_are_simple();
  void order_by_join(const Thread& joiner, const Thread& ended);
  /// Tells the record of an operation that makes no race.
  void record_order(Object& object, Operation operation, Access access, std::memory_order order);
  /// The operation that the current thread has just done makes it.
  [[gnu::noinline]] void fail_by_race(const Race& race);
  void fail_by_race(const Race& race, const Var& var, Where where);
  [[nodiscard]] std::uint64_t signature_of_race() const;
};

}  // namespace hocket::runtime
