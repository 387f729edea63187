// Choice points and lists of choices: which thread, which waiter, which value, whether a timed wait expires.
//
// The runtime reaches a choice point before every step and wherever an operation has several outcomes. Points
// are numbered from 0 within an execution; the number is the point's *position*. A schedule is the list of
// what was chosen at each position.
#pragma once

#include <cstdint>

#include "operation.hpp"
#include "thread_set.hpp"

namespace hocket::runtime {

/// How a chosen thread continues.
enum class Mode : std::uint8_t {
  run,       ///< its pending operation completes
  expire,    ///< its timed wait expires
  spurious,  ///< it wakes up spuriously
  timeless,  ///< it sleeps, and no time passes although it could: see Fairness
};

/// The operation that a thread stopped before `pending` does when it continues in `mode`. A thread that
/// leaves the queue of a condition variable by itself does not take the mutex yet.
constexpr Operation operation_of_step(Operation pending, Mode mode) {
  return pending == Operation::condition_reacquire && mode != Mode::run ? Operation::condition_wait : pending;
}

/// What was chosen at a point: a thread and its mode, or, at a value choice, the value.
using Code = std::uint32_t;

inline constexpr Code kCodeLimit = 4096;  ///< codes are less than this, so `choose(n)` takes at most this n

constexpr Code thread_code(unsigned thread, Mode mode = Mode::run) {
  return thread << 2U | static_cast<unsigned>(mode);
}
constexpr unsigned thread_of(Code code) {
  return code >> 2U;
}
constexpr Mode mode_of(Code code) {
  return static_cast<Mode>(code & 3U);
}
static_assert(thread_code(kMaxThreads) <= kCodeLimit);

/// Added to codes in files where they stand alone: what else the choice was.
inline constexpr Code kGivesWayInFiles = kCodeLimit;
inline constexpr Code kIsValueInFiles = 2 * kCodeLimit;  ///< only where any gives way

/// Something that can be chosen at a point, and how many preemptions the choice costs.
struct Candidate {
  std::uint16_t code;
  std::uint16_t price;
};

/// The maximum number of positions in an execution, and so the highest possible step limit.
inline constexpr std::uint32_t kMaxPositions = (1U << 20U) - 1;

/// The candidates at one position and the choice made there. An entry is written at every position of every
/// execution, so it is two words. Where they do not suffice (more than 64 threads, expiries, futile yields)
/// it refers to a separate candidate list.
struct LogEntry {
  enum Kind : std::uint8_t {
    narrow,  ///< `what` is the set of enabled threads, as a bitmap
    wide,  ///< `what` is the index of the first candidate in the candidate list, and (high half) their number
    value,  ///< `what` is the number of values, and (high half) the price of every value except 0
  };

  std::uint64_t what;
  std::uint32_t check;    ///< a hash of everything that happened before
  std::uint16_t code;     ///< the choice
  std::uint8_t previous;  ///< the thread that made the last step
  std::uint8_t kind : 2;
  std::uint8_t switch_price : 1;  ///< narrow: the price of choosing a thread other than the previous one
  std::uint8_t gives_way : 1;     ///< a thread yields in a loop that retries
  std::uint8_t unused : 4;        ///< a named field, so that an entry is written without being read
};
static_assert(sizeof(LogEntry) == 16);

/// The choices of one execution, by position.
struct ChoiceLog {
  const LogEntry* entries = nullptr;
  const Candidate* candidates = nullptr;  ///< the candidate list, for wide entries
  std::uint32_t size = 0;

  /// The candidates of `entry`, in ascending order of their codes: `visit(Candidate)`.
  template <class Visit>
  void for_each_candidate(const LogEntry& entry, Visit&& visit) const {
    switch (entry.kind) {
      case LogEntry::narrow:
        for (auto set = entry.what; set != 0; set &= set - 1) {
          const auto thread = static_cast<unsigned>(std::countr_zero(set));
          const bool switches = thread != entry.previous;
          visit(Candidate{static_cast<std::uint16_t>(thread_code(thread)),
              static_cast<std::uint16_t>(switches ? entry.switch_price : 0)});
        }
        break;
      case LogEntry::wide: {
        const Candidate* first = candidates + static_cast<std::uint32_t>(entry.what);
        for (auto n = entry.what >> 32U; n != 0; --n) visit(*first++);
        break;
      }
      default: {
        const auto price = static_cast<std::uint16_t>(entry.what >> 32U);
        const auto count = static_cast<std::uint32_t>(entry.what);
        for (std::uint32_t v = 0; v < count; ++v) {
          visit(Candidate{static_cast<std::uint16_t>(v), v == 0 ? std::uint16_t{0} : price});
        }
      }
    }
  }
};

/// A choice point as a chooser sees it, while the execution is paused.
struct ChoicePoint {
  std::uint32_t position;
  const LogEntry& entry;  ///< `code` holds the default
  const ChoiceLog* log;   ///< for log->for_each_candidate(entry, ...)
};

/// Decides at choice points. It is called only where it asks to be. Elsewhere the default is taken: the
/// running thread keeps running if it can, or else the enabled thread with the least stable name runs; of
/// values, 0 is taken.
class Chooser {
 public:
  virtual ~Chooser() = default;

  /// Returns the code of the candidate to take. May set `consult_at`. A code that is not a candidate ends the
  /// execution with Outcome::diverged.
  virtual Code choose(const ChoicePoint& point) = 0;

  /// The position from which choose() is called, at points that have more than one candidate.
  std::uint32_t consult_at = 0;

  /// A plan for points whose candidates are the enabled threads. While draws are left, the next one picks a
  /// thread, each with the same probability, and choose() is not called.
  struct Draws {
    const std::uint32_t* next = nullptr;  ///< random numbers of 32 bits
    const std::uint32_t* end = nullptr;
  };
  Draws draws;

  /// Which of `count` candidates `draw` picks. The bias is below count / 2^32.
  static std::uint32_t pick(std::uint32_t draw, std::uint32_t count) {
    return static_cast<std::uint32_t>(std::uint64_t{draw} * count >> 32U);
  }

  static constexpr std::uint32_t kNever = ~std::uint32_t{0};

  /// If there is an observer: choose() is also called at points with only one candidate.
  bool wants_forced = false;
};

/// Codes that are never candidates. kDiverged: the schedule to follow does not fit this execution. kPruned:
/// what would follow is known, so the execution ends here with Outcome::pruned.
inline constexpr Code kDiverged = ~Code{0};
inline constexpr Code kPruned = kDiverged - 1;

}  // namespace hocket::runtime
