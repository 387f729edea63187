// What a thread has looked at that does nothing else for a while. Kept where code is not written for Hocket
// and cannot say that it waits; see interpose/unmodified/hooks/polling.hpp.
#pragma once

#include <array>
#include <cstdint>

#include "../objects/object.hpp"

namespace hocket::runtime {

struct Looks {
  enum class Kind : std::uint8_t {
    look,    ///< an operation that has changed nothing
    lock,    ///< the thread has taken the object,
    unlock,  ///< and given it back
  };
  struct Look {
    std::uint64_t place;        ///< the call, and the frame of the function that made it
    const Object* object;       ///< nullptr: it was a yield
    std::uint64_t found;        ///< the state of the object: ObjectKind::fingerprint; 0 of lock and unlock
    std::uint64_t values_read;  ///< Thread::values_read before it
    bool has_state;             ///< it is known what the thread was like before
    bool can_be_awaited;        ///< what it looked at says by its state alone when it changes
    Kind kind = Kind::look;
    std::uint32_t sections = 0;  ///< lock: Sections::ended then; unlock: those that it has counted as ended
  };
  static constexpr unsigned kKept = 32;

  std::array<Look, kKept> kept;  ///< the last ones; the n-th, from 0, has the place n % kKept
  unsigned count = 0;            ///< since the thread last did anything else
  unsigned in_vain = 0;  ///< looks that found what the one before found there, by a thread that changes
  std::uint64_t next_action = 0;   ///< Thread::next_action after the last of them
  std::uint32_t plain_writes = 0;  ///< Thread::plain_writes at that time
  bool has_locks = false;          ///< some of them have been of those kinds
  std::int64_t time_passed = 0;    ///< nanoseconds, when it last let time pass since then
  bool lets_time_pass = false;     ///< does so before its next look, instead of waiting

  void begin() {
    count = in_vain = 0;
    next_action = 0;
    time_passed = 0;
    lets_time_pass = has_locks = false;
  }
};

}  // namespace hocket::runtime
