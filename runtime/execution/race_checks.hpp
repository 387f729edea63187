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
class RaceChecks {
 public:
  constexpr RaceChecks(const ThreadTable& threads, Verdict& verdict, ObjectLives& objects)
      : threads_(threads), verdict_(verdict), objects_(objects) {}

  /// Another execution begins.
  void begin() {
    watches_lives_ = false;
    ignoring_ = 0;
  }
  void begin_search() { passes_over_races_ = false; }

  /// The rest of step::access(), where nothing quicker could show that it makes no race. `code` made it.
  void access_newly(Var& var, VarAccess access, Where where, const void* code);
  /// The rest of step::prepare().
  void prepare_newly(Var& var);
  /// Whether no access is excluded from the detection of data races because of the thread that makes it.
  [[nodiscard]] bool reports_races() const {
    return ignoring_ == 0 && run.options.detect.contains(Detector::races);
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
    if (is_looking()) races_->unite(one, other);
  }
  /// Adds `change`, 1 or -1, to the number of requests to ignore data races of the current thread's reads, or
  /// of its writes. step::access() does not check that number; its callers must.
  void ignore_races(VarAccess access, int change);

  /// A construction by the current thread.
  void began_life(Object& object, Where where) {
    if (watches_lives_ && !run.ending) note_beginning_of(object, where);
  }
  /// An operation of the current thread that orders nothing and is no action on the object itself.
  void used(Object& object, Operation operation) {
    if (watches_lives_) note_use(object, operation);
  }
  /// The current thread is about to destroy `object`. Returns whether that fails the execution by a race.
  [[nodiscard]] bool is_ended_in_race(Object& object, Where where) {
    return watches_lives_ && !run.ending && ends_in_race(object, where);
  }

  /// Whether the detection of races has begun in this execution.
  [[nodiscard]] bool is_looking() const { return run.looks_for_races; }
  /// Whether two threads have accessed the same var in this search while race detection was off.
  [[nodiscard]] bool passes_over_races() const { return passes_over_races_; }
  /// What orders accesses; nothing is in there before is_looking().
  [[nodiscard]] Races& races() const { return *races_; }
  void keep_in(Races& races) { races_ = &races; }

  // -- For the other parts of Execution

  void begin_to_look();
  void see_whether_accesses_are_simple();
  void thread_created(Thread& thread);
  void order_by_join(const Thread& joiner, const Thread& ended);
  /// Adds an operation that makes no race to the race record.
  /// `from` and `to`: as in RaceRecord::acted().
  void record_order(Object& object, Operation operation, Access access, std::memory_order order,
      const void* code, const Released* from = nullptr, const Released* to = nullptr);
  /// Fails because the operation that the current thread has just done makes `race`, unless the execution is
  /// to go past it. Returns whether it failed.
  [[gnu::noinline]] bool fail_by_race(const Race& race);
  /// Of the last race that was found.
  [[nodiscard]] std::uint64_t signature() const;

 private:
  /// Whether the execution goes on after this race, the last one that was found.
  [[nodiscard]] bool goes_past(const Race& race) const;
  void fail_by_race(const Race& race, const Object& object, Where where);
  [[gnu::noinline]] void note_beginning_of(Object& object, Where where);
  [[gnu::noinline]] void note_use(Object& object, Operation operation);
  [[gnu::noinline]] bool ends_in_race(Object& object, Where where);

  const ThreadTable& threads_;
  Verdict& verdict_;
  ObjectLives& objects_;
  Races* races_ = nullptr;          ///< in the cold state
  bool watches_lives_ = false;      ///< of objects that are no vars, in this execution
  bool passes_over_races_ = false;  ///< in this search
  unsigned ignoring_ = 0;  ///< number of threads that have some accesses excluded from race detection
};

}  // namespace hocket::runtime
