// The read-only accesses ("looks") of a thread that has done nothing else for a while. They are kept for code
// not written for Hocket, which cannot say that it waits; see interpose/unmodified/hooks/polling.hpp.
#pragma once

#include <array>
#include <cstdint>

#include "../objects/object.hpp"

namespace hocket::runtime {

struct Looks {
  enum class Kind : std::uint8_t {
    look,    ///< an operation that has changed nothing
    lock,    ///< the thread has taken the object
    unlock,  ///< the thread has given it back
  };
  struct Look {
    std::uint64_t place;        ///< the call, and the stack frame of the function that made it
    const Object* object;       ///< nullptr: it was a yield
    std::uint64_t found;        ///< the object's state, ObjectKind::fingerprint; 0 for lock and unlock
    std::uint64_t values_read;  ///< Thread::values_read before it
    bool has_state;             ///< the thread's own state before the look is known
    bool can_be_awaited;        ///< the object's state alone tells when what the look saw changes
    Kind kind = Kind::look;
    std::uint32_t sections = 0;  ///< lock: Sections::ended then; unlock: those it has counted as ended
  };
  static constexpr unsigned kKept = 32;

  std::array<Look, kKept> kept;  ///< the last ones; the n-th, from 0, is at n % kKept
  unsigned count = 0;            ///< since the thread last did anything else
  unsigned in_vain = 0;  ///< looks that found what the one before found there, though the thread has changed
  std::uint64_t next_action = 0;   ///< Thread::next_action after the last of them
  std::uint32_t plain_writes = 0;  ///< Thread::plain_writes at that time
  bool has_locks = false;          ///< some of them are of kind lock or unlock
  std::int64_t time_passed = 0;    ///< nanoseconds, when it last let time pass in this series
  bool lets_time_pass = false;     ///< lets time pass before its next look, instead of waiting

  void begin() {
    count = in_vain = 0;
    next_action = 0;
    time_passed = 0;
    lets_time_pass = has_locks = false;
  }
};

}  // namespace hocket::runtime
