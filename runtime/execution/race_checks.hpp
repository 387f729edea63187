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

/// Race detection starts with the first access to plain data.
class RaceChecks : public ObjectLives {
 public:
  /// An access that is not a step. Fails the execution if it makes a data race.
  [[gnu::always_inline]] void access(Var& var, VarAccess access, Where where) {
    if (!touch(var, Operation::none, where)) return;
    if (var.shadow.execution == life) [[likely]] {
      if (var.shadow.has_seen(access, current->epoch)) [[likely]]
        return;
      // The code that makes this access is already known, without a call.
      if (accesses_are_simple && !is_atomic(access) && current->caller != nullptr) {
        if (access_in_order(var, access, current->caller)) return;
      }
    }
    access_newly(var, access, where);
    __asm__ volatile("");  // no tail call: access_newly() reads its return address
  }
  /// Like access(), while accesses_are_simple, for a var that this execution has already touched. Returns
  /// false if the quick checks cannot show that everything the access could race with is ordered before it.
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
  /// Whether no access is excluded from the detection of data races because of the thread that makes it.
  [[nodiscard]] bool reports_races() const {
    return ignoring_races_ == 0 && options_.detect.contains(Detector::races);
  }
  /// Called after an access to something that overlaps `var`. Fails the execution if that access races with
  /// one to `var`.
  void check_against(const Var& var, VarAccess access);
  /// Whether all other threads have ended, and everything they did is known to be ordered before what the
  /// current thread does next.
  [[nodiscard]] bool follows_all_others() const;
  /// Called before an operation on one of two atomics that overlap. A thread that reads what was written to
  /// either is ordered after that write.
  void unite_order(Object& one, Object& other) {
    if (looks_for_races_) races_->unite(one, other);
  }
  /// Called before an access to `var` as an atomic, which is a step.
  [[gnu::always_inline]] void prepare(Var& var) {
    if (!looks_for_races_ || var.life != life || var.shadow.execution != life) [[unlikely]]
      prepare_newly(var);
  }
  /// Adds `change`, 1 or -1, to the number of requests to ignore data races of the current thread's reads, or
  /// of its writes. access() does not check that number; its callers must.
  void ignore_races(VarAccess access, int change);

 protected:
  [[gnu::noinline]] void prepare_newly(Var& var);
  void access_newly(Var& var, VarAccess access, Where where);
  void begin_to_look_for_races();
  void see_whether_accesses_are_simple();
  /// Whether some races do not end this execution.
  [[nodiscard]] bool may_go_past_races() const {
    return options_.known_races != nullptr || options_.passed_races != 0;
  }
  void order_by_join(const Thread& joiner, const Thread& ended);
  /// Adds an operation that makes no race to the race record.
  void record_order(
      Object& object, Operation operation, Access access, std::memory_order order, const void* code);
  /// Fails because the operation that the current thread has just done makes `race`, unless the execution is
  /// to go past it. Returns whether it failed.
  [[gnu::noinline]] bool fail_by_race(const Race& race);
  /// Whether the execution goes on after this race, the last one that was found.
  [[nodiscard]] bool goes_past(const Race& race);
  void fail_by_race(const Race& race, const Var& var, Where where);
  [[nodiscard]] std::uint64_t signature_of_race() const;
};

}  // namespace hocket::runtime
