// What every shared object has in common: the word that says which execution it belongs to, its stable name
// and version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "../terms/where.hpp"

namespace hocket::runtime {

struct Object;

inline constexpr std::uint64_t kHeldOutside = 1;
inline constexpr std::uint64_t kHeldShared = 2;
inline constexpr std::uint64_t kHeldAlone = 3;

/// A part of an object, with its fingerprint at some time.
struct PartState {
  const Object* part;
  std::uint64_t state;
};

/// What the runtime must know of a type of objects; one static instance for each type of face.
struct ObjectKind {
  const char* name;  ///< as reports print it, for example "mutex"

  /// For objects that live outside the body and so must begin each execution in the same state: a copy of the
  /// modelled state on the heap, the way back, and its end.
  void* (*save)(const Object&);
  void (*restore)(Object&, const void* saved);
  void (*discard)(void* saved);

  /// A word for the state that decides which operations can complete and how they come out: equal states
  /// give equal words. Mutexes: 0 free, else the holder's key or kHeldOutside, shared mutexes kHeldShared or
  /// kHeldAlone; semaphores: the count; atomics: the value.
  std::uint64_t (*fingerprint)(const Object&) = nullptr;

  /// What is wrong with destroying an object in this state, or nullptr; for example "it is locked".
  const char* (*objection_to_destruction)(const Object&) = nullptr;

  /// Whether the objects are vars (runtime/objects/var.hpp).
  bool is_plain_data = false;

  /// The fingerprint of an object that shares its state with others, from those of the parts that
  /// Thread::parts_touched has beside it. nullptr: it has its state for itself.
  std::uint64_t (*fingerprint_from_parts)(const Object&, std::span<const PartState> parts) = nullptr;

  /// Bytes of an object with its modelled state.
  std::size_t size = 0;

  /// Locks: Sections::ended.
  std::uint64_t (*sections)(const Object&) = nullptr;

  /// What threads wait for that wait on the object as on an atomic, if it has another name than a
  /// notification: "a signal".
  const char* awaited = nullptr;
};

/// The state of life of an object, as one word so that a single comparison on the hot path covers everything:
/// an object in order holds Execution::life. Any other word leads to Execution::first_touch.
enum class Life : std::uint64_t {
  outside = 0x6f75747369646521U,          ///< made outside the body, not touched in this execution yet
  destroyed = 0x64657374726f7921U,        ///< its destructor has run
  first_execution = 0x486f636b00000000U,  ///< the n-th execution of a process has first_execution + n
};

/// The name of an object that was found in memory, not made by a face: a function of where it is.
struct FoundAt {
  std::uint64_t key;
};

/// The base of every modelled object. Plain data: an object that is copied for a snapshot is copied as bytes.
struct Object {
  Life life;
  std::uint64_t key;  ///< stable name: creator and ordinal within the creator, mixed
  const ObjectKind* kind;
  std::uint32_t version;   ///< number of writes so far in this execution
  std::uint32_t outsider;  ///< 1 + place in the list of outside objects of this search, or 0
  std::uint32_t clocks;    ///< 1 + where Races keeps what it orders in this execution, or 0

  /// Registers the object with the running execution, or as one that lives outside.
  Object(const ObjectKind& kind, Where where);
  /// Models something found in memory. In order in the running execution and in no other; the caller keeps
  /// it.
  Object(const ObjectKind& kind, FoundAt place);
  /// Volatile, since a compiler may leave out what a destructor writes into its object: nobody may look at it
  /// later.
  void end_life() { const_cast<volatile Life&>(life) = Life::destroyed; }

  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
};

}  // namespace hocket::runtime
