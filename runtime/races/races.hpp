// Finds data races: two threads access the same plain data, at least one of them writes, at least one access
// is not atomic, and nothing orders them.
//
// The order is the happens-before of the C++20 memory model, including memory orders and fences. The order in
// which the two accesses were executed does not matter. The detection is exact: a race is reported at the
// second of two accesses if and only if nothing orders them, and so at the earliest possible point of an
// execution.
//
// Detection may begin in the middle of an execution, at the first access to a var, because whatever orders
// two accesses comes after the first of them.
//
// The construction and the destruction of any other object are plain accesses, too, with which its operations
// can race ([intro.races], [atomics.types.operations]). Races watches those lives from the beginning of an
// execution, or not at all.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "../objects/object.hpp"
#include "../objects/observer.hpp"
#include "../objects/synchronization.hpp"
#include "../objects/var.hpp"
#include "../terms/operation.hpp"
#include "../terms/thread_set.hpp"
#include "../terms/vector_clock.hpp"
#include "../threads/thread.hpp"
#include "released.hpp"

namespace hocket::runtime {

/// All memory is kept from one execution to the next, so that nothing is allocated once it is large enough.
class Races {
 public:
  /// Begins a new execution, or the rest of the current one, with no threads yet. If the execution is to go
  /// on after races for which `is_passed` holds, every race is found: after the first one, the accesses to a
  /// var are no longer ordered, so that the last one does not stand for those before it. `watches_lives`: of
  /// objects that are no vars.
  void begin(std::function<bool(const Race&)> is_passed = {}, bool watches_lives = false);
  /// Adds a thread that existed at the beginning, or that `thread.creator` has created since.
  void add(Thread& thread, bool is_created_now);
  void joined(const Thread& joiner, const Thread& ended);

  /// Called when the running thread has done an operation. `code` is its place; nullptr means the place of
  /// this call. Returns the race that its access to a var, as an atomic, makes, or nullptr. The result is
  /// valid until the next begin().
  [[gnu::noinline]] const Race* acted(
      Thread& self, Object& object, Synchronization what, std::memory_order order, const void* code);
  /// The same for an operation on an atomic of which older values are kept. `from` comes with the value that
  /// it reads, and it sets `to`, which comes with the value that it writes. Either is nullptr if it does not.
  const Race* acted(Thread& self, Object& object, Synchronization what, std::memory_order order,
      const void* code, const Released* from, Released* to);
  /// Gives the object a number of its own in this execution, Object::clocks.
  void number(Object& object) { clocks_of(object); }
  /// What the thread knows.
  [[nodiscard]] const VectorClock& known_to(const Thread& self) const { return threads_[self.index].now; }
  /// Does the rest of the operation for which acted() has returned a race: what it would have done without.
  void finish_operation(Thread& self);
  void fenced(Thread& self, std::memory_order order);

  /// `self` has constructed `object`, which is no var. To be called while lives are watched.
  void began_life(const Thread& self, Object& object, const void* code);
  /// The race, or nullptr, that `self` makes by destroying `object`. It makes no race from then on. To be
  /// called while lives are watched.
  const Race* ends_life(const Thread& self, Object& object, const void* code);

  /// Whether everything that the thread with that index has done so far is ordered before what `self` does
  /// next.
  [[nodiscard]] bool follows(const Thread& self, unsigned thread) const {
    return threads_[self.index].now.at(thread) >= threads_[thread].now.at(thread);
  }

  /// From now on, operations on either of two overlapping atomics order what operations on both would.
  void unite(Object& one, Object& other);

  /// The race, or nullptr, that an access to `var` would make. The var's shadow belongs to this execution.
  const Race* conflict(const Thread& self, const Var& var, VarAccess access, const void* code);
  /// Notes an access to such a var that makes no race, or none to be reported.
  void note(Thread& self, Var& var, VarAccess access, const void* code);
  /// Both for an atomic access, if all accesses to the var have been atomic. Returns whether they have been,
  /// so that nothing races.
  [[nodiscard]] bool note_atomic_alone(const Thread& self, Var& var, VarAccess access, const void* code);

  /// The last race found.
  [[nodiscard]] const Race& race() const { return race_; }

 private:
  struct Past {
    std::uint32_t time = 0;  ///< 0: none
    const void* code = nullptr;
  };
  struct ThreadClocks {
    std::uint64_t key = 0;
    VectorClock now;       ///< what happens before its next action; its own entry is its current time
    VectorClock observed;  ///< what an acquire fence would add: what came with the values it has read
    Released fenced;       ///< what its last release fence released
  };
  struct ObjectClocks {
    Released released;  ///< by unlocks; for an atomic: what comes with its value
    Released released_shared;
    bool is_of_several = false;  ///< overlapping atomics: a store may leave some bytes of the others
    unsigned made_by = 0;
    Past made{};  ///< the construction by that thread, if lives are watched
    std::vector<Past>
        uses{};  ///< the last operation of each thread since then; those at the end may be missing
  };
  /// One thread's accesses to one var that are not in the shadow.
  enum Slot : std::uint8_t { plain_read, atomic_read, atomic_write, kSlots };
  using Pasts = std::array<Past, kSlots>;
  using History = std::vector<Pasts>;  ///< by thread; the last ones may be missing

  const Race* acted_with_care(
      Thread& self, Object& object, Synchronization what, std::memory_order order, const void* code);
  /// `pasts` are those of the thread; nullptr if the object is not a var.
  template <Threads threads>
  const Race* acted_atomically(Thread& self, Object& object, ObjectClocks& its, Pasts* pasts,
      Synchronization what, std::memory_order order, const void* code);
  template <Threads threads>
  void release(Thread& self, Released& to, bool begins, bool updates, std::memory_order order);
  template <Threads threads>
  void synchronized(Thread& self, ObjectClocks& its, Synchronization what);

  /// Notes an operation on an object. The race, or nullptr, that it makes with the construction.
  const Race* use(const Thread& self, const Object& object, ObjectClocks& its, const void* code);

  ObjectClocks& clocks_of(Object& object);
  /// Returns nullptr if they have not been made yet.
  Pasts* find_pasts_of(const VarShadow& shadow, unsigned thread);
  Pasts& pasts_of(VarShadow& shadow, unsigned thread);
  template <Threads threads = Threads::any>
  static void advance(Thread& self, ThreadClocks& clocks);
  const Race* found(const Thread& self, const Object& object, VarAccess access, const void* code,
      unsigned thread, VarAccess first, const void* first_code);
  const Race* find_in_history(
      const Thread& self, const Var& var, VarAccess access, const void* code, Slot slot, VarAccess first);
  void note_read(const Thread& self, VarShadow& shadow, const void* code);
  void note_write(const Thread& self, VarShadow& shadow, const void* code);

  // -- While executions go past races
  /// An access to a var, the last one of its kind and place that its thread has made.
  struct Noted {
    unsigned thread;
    std::uint32_t time;
    VarAccess access;
    const void* code;
  };
  const Race* last_conflict(const Thread& self, const Var& var, VarAccess access, const void* code);
  /// The first race with an earlier access that does not pass, or nullptr.
  const Race* unpassed_conflict(const Thread& self, const Var& var, VarAccess access, const void* code);
  void keep(Thread& self, VarShadow& shadow, VarAccess access, const void* code);

  bool has_few_threads_ = true;
  bool watches_lives_ = false;
  std::array<ThreadClocks, kMaxThreads> threads_;  ///< Thread::known points into it
  std::vector<ObjectClocks> objects_;
  std::size_t objects_used_ = 0;
  std::vector<History> histories_;
  std::size_t histories_used_ = 0;
  Race race_;
  std::function<bool(const Race&)> is_passed_;  ///< empty unless executions go past races
  std::vector<std::vector<Noted>> noted_;       ///< in the order of histories_; only while is_passed_ is set
  /// The operation that has made the race and is not finished.
  struct Operated {
    Object* object = nullptr;
    Synchronization what = Synchronization::none;
    std::memory_order order = std::memory_order_seq_cst;
    const void* code = nullptr;
    const Released* from = nullptr;
    Released* to = nullptr;
  } unfinished_;
  bool finishes_ = false;  ///< conflicts of the operation are known
};

}  // namespace hocket::runtime
