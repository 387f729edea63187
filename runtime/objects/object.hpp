// What every shared object has in common: the word that says which execution it belongs to, its stable name
// and its version.
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

/// The bits of a shared mutex's fingerprint that are set only while one thread has it alone.
inline constexpr std::uint64_t kBitsOfHeldAlone = kHeldAlone & ~kHeldShared;

/// A part of an object, with its fingerprint at some time.
struct PartState {
  const Object* part;
  std::uint64_t state;
};

/// What the runtime must know about a type of object. There is one static instance for each public type.
struct ObjectKind {
  const char* name;  ///< as reports print it, for example "mutex"

  /// For objects that live outside the body and must therefore begin each execution in the same state: copy
  /// the modelled state to the heap, restore it from there, and free the copy.
  void* (*save)(const Object&);
  void (*restore)(Object&, const void* saved);
  void (*discard)(void* saved);

  /// A word for the state that decides which operations can complete and with what result; equal states give
  /// equal words. For a mutex it is 0 if free, else the holder's key or kHeldOutside; a shared mutex can also
  /// have kHeldShared or kHeldAlone; for a semaphore it is the count, for an atomic the value.
  std::uint64_t (*fingerprint)(const Object&) = nullptr;

  /// Why an object in this state must not be destroyed, for example "it is locked", or nullptr.
  const char* (*objection_to_destruction)(const Object&) = nullptr;

  /// Whether the objects are vars (runtime/objects/var.hpp).
  bool is_plain_data = false;

  /// The fingerprint of an object that shares its state with others, computed from those of the other parts
  /// in InstrumentedThread::parts_touched. nullptr if the object shares its state with none.
  std::uint64_t (*fingerprint_from_parts)(const Object&, std::span<const PartState> parts) = nullptr;

  /// Size in bytes of an object with its modelled state.
  std::size_t size = 0;

  /// For locks: Sections::ended.
  std::uint64_t (*sections)(const Object&) = nullptr;

  /// What threads that wait on the object as on an atomic wait for, if that is not called a notification; for
  /// example "a signal".
  const char* awaited = nullptr;

  /// For atomics: whether older values than the newest can be kept (runtime/weak_memory).
  bool keeps_stores = false;
};

/// The life state of an object, as one word so that a single comparison on the hot path covers everything: a
/// valid object holds Run::life. Any other word leads to ObjectLives::first_touch().
enum class Life : std::uint64_t {
  outside = 0x6f75747369646521U,          ///< made outside the body and not accessed yet in this execution
  destroyed = 0x64657374726f7921U,        ///< its destructor has run
  first_execution = 0x486f636b00000000U,  ///< the n-th execution of a process has first_execution + n
};

/// The name of an object that was found in memory rather than made by a public type. It is a function of the
/// object's location.
struct FoundAt {
  std::uint64_t key;
};

/// The base of every modelled object. It is plain data: a snapshot copies it as bytes.
struct Object {
  Life life;
  std::uint64_t key;  ///< stable name: creator and ordinal within the creator, mixed
  const ObjectKind* kind;
  std::uint32_t version;        ///< number of writes so far in this execution
  std::uint32_t place_outside;  ///< 1 + place in the list of outside objects of this search, or 0
  std::uint32_t clocks;         ///< 1 + the index of its clocks in Races, in this execution, or 0

  /// Registers the object with the running execution, or as one that lives outside the body.
  Object(const ObjectKind& kind, Where where);
  /// Models something found in memory. It is valid in the running execution only, and the caller owns it.
  Object(const ObjectKind& kind, FoundAt place);
  /// The store is volatile because a compiler may drop what a destructor writes into its object, which no
  /// valid code can read later.
  void end_life() { const_cast<volatile Life&>(life) = Life::destroyed; }

  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
};

}  // namespace hocket::runtime
