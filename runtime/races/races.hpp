// Finds data races: two threads access the same plain data, at least one of them writes, at least one access
// is not atomic, and nothing orders them.
//
// What orders them is the happens-before of the C++20 memory model, memory orders and fences included. Which
// order the two happened to come in says nothing. All of this is exact: a race is reported at the second of
// two accesses if and only if nothing orders them, and so at the earliest that an execution has.
//
// It may begin in the middle of an execution, at the first access to a var: whatever orders two accesses
// comes after the first of them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../objects/object.hpp"
#include "../objects/observer.hpp"
#include "../objects/synchronization.hpp"
#include "../objects/var.hpp"
#include "../terms/operation.hpp"
#include "../terms/thread_set.hpp"
#include "../terms/vector_clock.hpp"
#include "../threads/thread.hpp"

namespace hocket::runtime {

/// Everything is kept from one execution to the next as memory, and allocates nothing once it is large
/// enough.
class Races {
 public:
  /// A new execution, or the part of one from here on, with the threads that there are: at first none.
  void begin();
  /// A thread that was there at the beginning, or was created since, by `thread.creator`.
  void add(Thread& thread, bool is_created_now);
  void joined(const Thread& joiner, const Thread& ended);

  /// The running thread has done an operation. `code`: where; nullptr: where this is called. Returns the race
  /// that its access to a var, as an atomic, makes, or nullptr; valid until the next begin().
  [[gnu::noinline]] const Race* acted(
      Thread& self, Object& object, Synchronization what, std::memory_order order, const void* code);
  void fenced(Thread& self, std::memory_order order);

  /// Whether all that the thread with that index has done so far is ordered before what `self` does next.
  [[nodiscard]] bool follows(const Thread& self, unsigned thread) const {
    return threads_[self.index].now.at(thread) >= threads_[thread].now.at(thread);
  }

  /// From now on, operations on either of two atomics that overlap order what those on both would.
  void unite(Object& one, Object& other);

  /// The race, if any, that an access to `var` would make, whose shadow belongs to this execution.
  const Race* conflict(const Thread& self, const Var& var, VarAccess access, const void* code);
  /// An access to such a var that makes none, or none to speak of.
  void note(const Thread& self, Var& var, VarAccess access, const void* code);

  /// The last race found.
  [[nodiscard]] const Race& race() const { return race_; }

 private:
  /// What a thread has passed on to others. A thread's time advances whenever it does that, so another
  /// thread that knows that time knows all that this one knew then, without a look at its clock.
  struct Released {
    VectorClock clock;
    Epoch when = 0;  ///< when one thread knew just that; kSeveralThreads: no thread did

    void clear();
    template <Threads threads = Threads::any>
    [[nodiscard]] bool is_known_to(const VectorClock& known) const;
    /// Makes it known.
    template <Threads threads = Threads::any>
    void join_to(VectorClock& known) const;
    template <Threads threads = Threads::any>
    void become(const VectorClock& now, Epoch epoch);
    template <Threads threads>
    void become(const Released& other);
    /// As become(), but what is there stays, too.
    template <Threads threads>
    void add(const VectorClock& now, Epoch epoch);
    template <Threads threads>
    void add(const Released& other);
  };
  struct ThreadClocks {
    std::uint64_t key = 0;
    VectorClock now;       ///< what happens before its next action; its own time is the current one
    VectorClock observed;  ///< what an acquire fence would add: what came with the values it has read
    Released fenced;       ///< by its last release fence
  };
  struct ObjectClocks {
    Released released;  ///< by unlocks; of an atomic: what comes with its value
    Released released_shared;
    bool is_of_several =
        false;  ///< atomics that overlap, so that a store may leave some of the others' bytes
  };
  /// One thread's accesses to one var that are not in the shadow.
  enum Slot : std::uint8_t { plain_read, atomic_read, atomic_write, kSlots };
  struct Past {
    std::uint32_t time = 0;  ///< 0: none
    const void* code = nullptr;
  };
  using Pasts = std::array<Past, kSlots>;
  using History = std::vector<Pasts>;  ///< by thread, of which the last ones may be missing

  const Race* acted_with_care(
      Thread& self, Object& object, Synchronization what, std::memory_order order, const void* code);
  /// `pasts` are the thread's; nullptr: the object is no var.
  template <Threads threads>
  const Race* acted_atomically(Thread& self, Object& object, ObjectClocks& its, Pasts* pasts,
      Synchronization what, std::memory_order order, const void* code);
  template <Threads threads>
  void synchronized(Thread& self, ObjectClocks& its, Synchronization what);

  ObjectClocks& clocks_of(Object& object);
  /// nullptr: not made yet.
  Pasts* find_pasts_of(const VarShadow& shadow, unsigned thread);
  Pasts& pasts_of(VarShadow& shadow, unsigned thread);
  template <Threads threads = Threads::any>
  static void advance(Thread& self, ThreadClocks& clocks);
  const Race* found(const Thread& self, const Var& var, VarAccess access, const void* code, unsigned thread,
      VarAccess first, const void* first_code);
  const Race* find_in_history(
      const Thread& self, const Var& var, VarAccess access, const void* code, Slot slot, VarAccess first);
  void note_read(const Thread& self, VarShadow& shadow, const void* code);
  void note_write(const Thread& self, VarShadow& shadow, const void* code);

  bool has_few_threads_ = true;
  std::array<ThreadClocks, kMaxThreads> threads_;  ///< Thread::known points into it
  std::vector<ObjectClocks> objects_;
  std::size_t objects_used_ = 0;
  std::vector<History> histories_;
  std::size_t histories_used_ = 0;
  Race race_;
};

}  // namespace hocket::runtime
