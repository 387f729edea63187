// The read-only accesses ("looks") of a thread that has done nothing else for a while. They are kept for code
// not written for Hocket, which cannot say that it waits; see interpose/unmodified/hooks/polling.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "../objects/object.hpp"

namespace hocket::runtime {

struct Looks {
  enum class Kind : std::uint8_t {
    look,         ///< an operation that has changed nothing
    lock,         ///< the thread has taken the object
    lock_shared,  ///< and others may have it, too
    unlock,       ///< the thread has given it back
  };
  struct Look {
    std::uint64_t place;         ///< the call, and the stack frame of the function that made it
    const Object* object;        ///< nullptr: it was a yield
    std::uint64_t found;         ///< the object's state, ObjectKind::fingerprint; 0 for sections
    std::uint64_t values_found;  ///< InstrumentedThread::values_found before it
    bool has_state;              ///< the thread's own state before the look is known
    bool is_shared;              ///< the object is memory that other objects share
    Kind kind = Kind::look;
    std::uint32_t sections = 0;  ///< lock: Sections::ended then; unlock: those it has counted as ended
  };
  static constexpr unsigned kKept = 32;

  /// A round from one look at the clock to the next one at the same place, of any number of looks.
  struct ClockRound {
    static constexpr unsigned kMostRead = 16;

    std::uint64_t place = 0;            ///< of the look at the clock; 0: the thread has come by none
    std::uint64_t latest_other = 0;     ///< of the latest look at the clock elsewhere in the round
    unsigned others = 0;                ///< number of those
    unsigned size = 0;                  ///< looks in it, without that at the clock
    std::uint64_t looks = 0;            ///< a hash of them
    std::uint64_t looks_before = 0;     ///< the same of the round before
    unsigned rounds = 0;                ///< that have been alike, this one too
    unsigned read = 0;                  ///< of `reads`; more than kMostRead if the round cannot be awaited
    std::array<Look, kMostRead> reads;  ///< those of its looks that differ
  };

  std::array<Look, kKept> kept;  ///< the last ones; the n-th, from 0, is at n % kKept
  unsigned count = 0;            ///< since the thread last did anything else
  unsigned in_vain = 0;  ///< looks that found what the one before found there, though the thread has changed
  unsigned steps_to_go = 0;  ///< that it may still make on its way to the end of a loop while no other runs
  std::uint64_t next_action = 0;    ///< Thread::next_action after the last of them
  std::uint32_t plain_changes = 0;  ///< InstrumentedThread::plain_changes before the first of them
  bool has_locks = false;           ///< some of them are of kind lock or unlock
  std::int64_t time_passed = 0;     ///< nanoseconds, when it last let time pass in this series
  bool lets_time_pass = false;      ///< lets time pass before its next look, instead of waiting
  Life endless_in{};  ///< the last execution in which it has run a loop alone and has come to no end
  ClockRound by_clock;

  void begin() {
    count = in_vain = steps_to_go = 0;
    next_action = 0;
    by_clock.place = 0;
    time_passed = 0;
    lets_time_pass = has_locks = false;
  }
};

/// How often in a row a thread has looked at the clock at one place, whatever it did in between, while nobody
/// else let time pass.
struct ClockVisits {
  std::uint64_t place = 0;
  std::uint32_t count = 0;
  std::uint32_t version = 0;     ///< of the clock after the last of them
  std::int64_t time_passed = 0;  ///< as in Looks
};

/// The reads of a few volatiles that a thread has made in a row, with no write of one and no operation in
/// between. A loop that reads more of them, as the elements of a buffer, does not wait for one.
struct VolatileReads {
  static constexpr unsigned kFew = 8;

  std::uint64_t next_action = 0;  ///< Thread::next_action at the last of them
  std::uint32_t count = 0;
  std::array<std::uintptr_t, kFew> addresses{};

  /// A read of another volatile than the last few begins anew.
  void add(std::uintptr_t address) {
    ++count;
    for (std::uintptr_t& known : addresses) {
      if (known == address) return;
      if (known != 0) continue;
      known = address;
      return;
    }
    addresses = {address};
    count = 1;
  }
};

/// The plain writes of a thread since its last look, until it is known whether they have changed anything.
struct LatestWrites {
  struct Write {
    std::uintptr_t address;
    std::uint64_t before;  ///< what was there
    std::size_t size;      ///< in bytes
  };
  static constexpr unsigned kKept = 4;

  std::array<Write, kKept>
      kept{};          ///< the first ones, up to one that is too large to keep: its size is 0 here
  unsigned count = 0;  ///< more than kKept if some are not kept
};

}  // namespace hocket::runtime
