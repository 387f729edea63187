// Plain data that threads share, as seen by race detection: which earlier accesses the next one may race
// with.
#pragma once

#include <cstdint>

#include "../terms/vector_clock.hpp"
#include "../terms/where.hpp"
#include "object.hpp"

namespace hocket::runtime {

/// A thread together with a time of its own. The high half is the thread's index. The low half is a number,
/// starting at 1, that rises whenever the thread does something that other threads may be ordered after. 0
/// means never.
using Epoch = std::uint64_t;

constexpr Epoch epoch_of(unsigned thread, std::uint32_t time) {
  return std::uint64_t{thread} << 32U | time;
}
constexpr unsigned thread_of_epoch(Epoch epoch) {
  return static_cast<unsigned>(epoch >> 32U);
}
constexpr std::uint32_t time_of(Epoch epoch) {
  return static_cast<std::uint32_t>(epoch);
}
/// Stands for several threads and is before nothing. It is encoded as a time of the first thread that this
/// thread never reaches, so it needs no special case.
inline constexpr Epoch kSeveralThreads = epoch_of(0, 0xffffffff);

/// Whether what happened at `then` is covered by the clock `known`.
template <Threads threads = Threads::any>
[[gnu::always_inline]] inline bool is_before(Epoch then, const VectorClock& known) {
  return time_of(then) <= known.at<threads>(thread_of_epoch(then));
}

/// What an access to plain data does. The atomic ones are made through an atomic_ref.
enum class VarAccess : std::uint8_t {
  read,
  write,
  make,
  destroy,
  atomic_read,
  atomic_write,
  free_block,  ///< frees the heap block in which the data lies
  leave,       ///< returns from the function whose local variable it is
  use          ///< an operation on an object that is no var; races only with its construction and destruction
};

constexpr bool is_atomic(VarAccess access) {
  return access == VarAccess::atomic_read || access == VarAccess::atomic_write;
}

/// The accesses to a var in one execution that still matter (after Flanagan and Freund, FastTrack: Efficient
/// and Precise Dynamic Race Detection, 2009). All accesses before the last plain write are ordered before it,
/// or there would have been a race; so an access that is ordered after that write is ordered after them too.
struct VarShadow {
  Life execution{};                  ///< the execution that the rest belongs to
  Epoch written = 0;                 ///< the last plain write
  Epoch read = 0;                    ///< the last plain read since then; kSeveralThreads: see Races
  const void* written_by = nullptr;  ///< the code that did it
  const void* read_by = nullptr;
  std::uint32_t history = 0;     ///< 1 + where Races keeps the rest, or 0
  bool has_been_atomic = false;  ///< since the last plain write; the history has those accesses

  void note_write(Epoch now, const void* code) {
    written = now;
    written_by = code;
    read = 0;  // whatever is ordered after this write is ordered after the reads before it
  }
  /// Whether a thread whose epoch is `now` has already made an access that covers this one, and no thread has
  /// been ordered after it since.
  [[nodiscard, gnu::always_inline]] bool has_seen(VarAccess access, Epoch now) const {
    return (access == VarAccess::read ? read : written) == now;
  }
  /// Whether a thread whose epoch is `now` made the last write, or has read since. Then all plain accesses
  /// that still matter are ordered before it. (A write makes `read` 0.)
  [[nodiscard, gnu::always_inline]] bool is_the_last(Epoch now) const {
    // An epoch at a smaller distance is one of the thread's own, and none of those is missed.
    const Epoch times = time_of(now);
    return (now - read < times || (read == 0 && now - written < times)) && !has_been_atomic;
  }
  /// Whether `known` covers all accesses that still matter, and all of them are here rather than in Races.
  template <Threads threads>
  [[nodiscard, gnu::always_inline]] bool is_all_before(const VectorClock& known) const {
    return is_before<threads>(written, known) && is_before<threads>(read, known) && !has_been_atomic;
  }
};

/// The base of every hocket::var.
struct Var : Object {
  VarShadow shadow;
  const char* used_as = nullptr;  ///< "a mutex" if it stands for one; its uses are then atomic writes
  using Object::Object;
};

/// Two accesses that are not ordered.
struct Race {
  struct Side {
    unsigned thread = 0;  ///< index
    std::uint64_t thread_key = 0;
    VarAccess access = VarAccess::read;
    const void* code = nullptr;  ///< a machine instruction in or below the user's code
  };
  const Object* object = nullptr;  ///< only to be compared: it may be gone when the race is reported
  Side first;
  Side second;  ///< the one at which the race was noticed
};

}  // namespace hocket::runtime
