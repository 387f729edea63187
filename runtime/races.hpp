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

#include <hocket/runtime/object.hpp>
#include <hocket/runtime/observer.hpp>
#include <hocket/runtime/operation.hpp>
#include <hocket/runtime/thread.hpp>
#include <hocket/runtime/thread_set.hpp>
#include <hocket/runtime/var.hpp>
#include <hocket/runtime/vector_clock.hpp>

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

  /// The running thread has done an operation. Returns the race that its access to a var, as an atomic,
  /// makes, or nullptr; valid until the next begin().
  const Race* acted(Thread& self, Object& object, Operation operation, Access access, std::memory_order order,
      const void* code);
  void fenced(Thread& self, std::memory_order order);

  /// The race, if any, that an access to `var` would make, whose shadow belongs to this execution.
  const Race* conflict(const Thread& self, const Var& var, VarAccess access, const void* code);
  /// An access to such a var that makes none, or none to speak of.
  void note(const Thread& self, Var& var, VarAccess access, const void* code);

  /// The last race found.
  [[nodiscard]] const Race& race() const { return race_; }

 private:
  struct ThreadClocks {
    std::uint64_t key = 0;
    VectorClock now;       ///< what happens before its next action; its own time is the current one
    VectorClock fenced;    ///< what happened before its last release fence
    VectorClock observed;  ///< what an acquire fence would add: what came with the values it has read
  };
  struct ObjectClocks {
    VectorClock released;  ///< by unlocks; of an atomic: what comes with its value
    VectorClock released_shared;
  };
  /// One thread's accesses to one var that are not in the shadow.
  enum Slot : std::uint8_t { plain_read, atomic_read, atomic_write, kSlots };
  struct Past {
    std::uint32_t time = 0;  ///< 0: none
    const void* code = nullptr;
  };
  using History = std::vector<std::array<Past, kSlots>>;  ///< by thread

  /// Finds what is kept of an object by its key, in a table with open addressing.
  class Directory {
   public:
    void clear();
    /// The place kept for `key`; `next` becomes it if there is none yet.
    std::uint32_t find_or_add(std::uint64_t key, std::uint32_t next);

   private:
    struct Entry {
      std::uint64_t key = 0;
      std::uint32_t generation = 0;  ///< another one: the entry is free
      std::uint32_t place = 0;
    };
    void grow();
    std::vector<Entry> entries_;
    std::size_t used_ = 0;
    std::uint32_t generation_ = 1;
  };

  // Those that are a pair look first, and make what is not there yet.
  ObjectClocks& clocks_of(Object& object);
  ObjectClocks& find_clocks_of(Object& object);
  History& history_of(VarShadow& shadow);
  History& make_history_of(VarShadow& shadow);
  void advance(Thread& self);
  void acquire_value(ThreadClocks& self, const VectorClock& value, std::memory_order order);
  const Race* access_atomically(const Thread& self, Var& var, bool writes, const void* code);
  const Race* found(const Thread& self, const Var& var, VarAccess access, const void* code, unsigned thread,
      VarAccess first, const void* first_code);
  const Race* find_in_history(
      const Thread& self, const Var& var, VarAccess access, const void* code, Slot slot, VarAccess first);
  void note_read(const Thread& self, VarShadow& shadow, const void* code);
  void note_write(const Thread& self, VarShadow& shadow, const void* code);

  std::array<ThreadClocks, kMaxThreads> threads_;  ///< Thread::known points into it
  unsigned threads_used_ = 0;
  Directory directory_;
  std::vector<ObjectClocks> objects_;
  std::size_t objects_used_ = 0;
  std::vector<History> histories_;
  std::size_t histories_used_ = 0;
  Race race_;
};

}  // namespace hocket::runtime
