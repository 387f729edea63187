#include "polling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include <unwind.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../shadow/cells.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;
using runtime::is_sabotaged;
using runtime::Looks;
using runtime::Sabotage;
using runtime::Thread;

/// The state that the caller of one of Hocket's functions finds unchanged when the function returns: the
/// call-preserved registers and the stack from the caller's frame to the end. It also contains the number of
/// the thread's plain writes elsewhere.
class Snapshot {
 public:
  /// Takes the snapshot of the current thread. Returns whether its state could be determined.
  bool take() {
    const Thread& thread = *execution.current;
    return_address_ = reinterpret_cast<std::uintptr_t>(thread.caller);
    stack_ = 0;
    _Unwind_Backtrace(
        [](_Unwind_Context* frame, void* self) {
          return static_cast<Snapshot*>(self)->visit(frame) ? _URC_NORMAL_STOP : _URC_NO_REASON;
        },
        this);
    const auto end = reinterpret_cast<std::uintptr_t>(thread.stack.top);
    constexpr std::uintptr_t kMost = std::uintptr_t{64} << 10U;  // copying more takes too long
    if (stack_ == 0 || stack_ > end || end - stack_ > kMost) return false;
    const auto* const begin = reinterpret_cast<const std::uint64_t*>(stack_);
    words_.assign(begin, begin + (end - stack_) / sizeof(std::uint64_t));
    plain_writes_ = thread.plain_writes;
    return true;
  }

  /// Whether the thread was in the same state at both snapshots.
  [[nodiscard]] bool is_like(const Snapshot& later) const {
    if (plain_writes_ != later.plain_writes_ && !is_sabotaged(Sabotage::rounds_may_write)) return false;
    if (is_sabotaged(Sabotage::rounds_may_count)) return true;
    if (registers_ != later.registers_ || stack_ != later.stack_ || words_.size() != later.words_.size())
      return false;
    for (std::size_t n = 0; n < words_.size(); ++n) {
      const std::uint64_t changed = words_[n] ^ later.words_[n];
      if (changed != 0 && (changed & ~bits_of_others(stack_ + n * sizeof(std::uint64_t))) != 0) return false;
    }
    return true;
  }

 private:
  bool visit(_Unwind_Context* frame) {
    if (_Unwind_GetIP(frame) != return_address_) return false;
    constexpr int kPreserved[] = {
        3, 6, 12, 13, 14, 15};  // rbx, rbp, r12 to r15, as DWARF counts them on x86-64
    for (std::size_t n = 0; n < registers_.size(); ++n) registers_[n] = _Unwind_GetGR(frame, kPreserved[n]);
    stack_ = _Unwind_GetCFA(frame);
    return true;
  }

  /// The bits of a word on the thread's stack that belong to variables which another thread has written. (The
  /// thread itself has not written them since then. Such a write would have to be ordered after the other
  /// thread's by more than looks.) The rest of the word may be a variable of the thread's own that code
  /// without hooks changes.
  static std::uint64_t bits_of_others(std::uintptr_t word) {
    const unsigned self = execution.current->index;
    std::uint64_t others = 0;
    std::uint64_t own = 0;
    cells().for_each_in(word, sizeof(std::uint64_t), [&](const Cell& cell) {
      if (cell.has(Cell::kIsAtomic) || cell.used_as != nullptr) {
        others |= bits(cell, word);
      } else if (cell.shadow.execution == execution.life && cell.shadow.written != 0) {
        (runtime::thread_of_epoch(cell.shadow.written) == self ? own : others) |= bits(cell, word);
      }
    });
    return others & ~own;
  }
  /// The bits of the word that lie in the cell.
  static std::uint64_t bits(const Cell& cell, std::uintptr_t word) {
    constexpr unsigned kBitsInByte = 8;
    std::uint64_t all = 0;
    for (std::size_t byte = 0; byte < sizeof all; ++byte) {
      // The unsigned difference wraps around for bytes before the cell, so they fail the test.
      if (word + byte - cell.address < cell.size) all |= std::uint64_t{0xff} << byte * kBitsInByte;
    }
    return all;
  }

  std::uintptr_t return_address_ = 0;
  std::uintptr_t stack_ = 0;
  std::array<std::uint64_t, 6> registers_{};
  std::vector<std::uint64_t> words_;
  std::uint32_t plain_writes_ = 0;
};

/// Snapshots of a thread before its last looks. The n-th look has the index n % kKept.
using Snapshots = std::array<Snapshot, Looks::kKept>;

Snapshot& snapshot(unsigned thread, unsigned look) {
  static std::vector<Snapshots> all;
  if (all.size() <= thread) all.resize(thread + std::size_t{1});
  return all[thread][look % Looks::kKept];
}

/// Whether to compare snapshots once more. A comparison takes some microseconds. It is made for a few rounds
/// in a row, which usually suffices. It is repeated later because a loop may begin to wait only then, such as
/// one whose pauses grow up to a limit. `round`: the number of looks since the last one at the same place. A
/// round may consist of several such parts, if a function that looks is called several times in it. So later
/// repetitions are longer, up to the longest round that can be known.
bool is_to_be_compared(unsigned in_vain, unsigned round) {
  constexpr unsigned kFew = 8;
  const unsigned since = std::bit_floor(in_vain);
  const unsigned in_a_row = std::max({kFew, 2 * round, std::min(since / 2, Looks::kKept)});
  return in_vain < in_a_row || in_vain - since < in_a_row;
}

/// Whether the looks from number `begin` on equal the same number of looks before them. If so, everything
/// that the code between them writes was already written before the look with that number. This matters
/// because stack memory that the functions have never written does not have the same contents in each
/// execution.
bool repeats_itself(const Looks& looks, unsigned begin) {
  if (is_sabotaged(Sabotage::rounds_may_differ)) return true;
  const unsigned size = looks.count - begin;
  const unsigned known = std::min(looks.count, Looks::kKept);
  if (2 * size > known) return false;
  for (unsigned n = begin; n < looks.count; ++n) {
    const Looks::Look& look = looks.kept[n % Looks::kKept];
    const Looks::Look& before = looks.kept[(n - size) % Looks::kKept];
    if (look.place != before.place || look.object != before.object || look.found != before.found)
      return false;
    // What the thread read before the earlier round is not part of that round.
    if (n != begin && look.values_read != before.values_read &&
        !is_sabotaged(Sabotage::rounds_may_read_other_data))
      return false;
  }
  return true;
}

/// Collects what a round depends on, for Thread::awaited.
class Awaited {
 public:
  explicit Awaited(std::vector<Thread::Read>& reads) : reads_(reads) { reads_.clear(); }

  /// Adds a look of the round. Returns whether the thread can wait for a change of it.
  bool add(const Looks::Look& look) {
    const bool is_known = known(look.object, look.kind != Looks::Kind::look) != nullptr;
    switch (look.kind) {
      case Looks::Kind::look:
        return look.object == nullptr || (look.can_be_awaited && add_state(*look.object, look.found));
      case Looks::Kind::lock:
        if (!held_.empty() && !holds(look.object) && !is_sabotaged(Sabotage::polls_await_held_locks)) {
          constexpr std::uint64_t kFree = 0;
          if (look.object->kind == &runtime::kSharedMutexKind || !add_state(*look.object, kFree))
            return false;
        }
        held_.push_back(look.object);
        if (!is_known) reads_.push_back({look.object, look.object->version, true, look.sections});
        return true;
      case Looks::Kind::unlock:
        if (!holds(look.object)) return false;  // the section began before the round
        held_.erase(std::find(held_.begin(), held_.end(), look.object));
        known(look.object, true)->state += look.sections;
        return true;
    }
    return false;
  }
  [[nodiscard]] bool is_complete() const { return held_.empty() && !reads_.empty(); }

 private:
  [[nodiscard]] bool holds(const runtime::Object* lock) const {
    return std::find(held_.begin(), held_.end(), lock) != held_.end();
  }
  Thread::Read* known(const runtime::Object* object, bool is_of_sections) {
    const auto at = std::find_if(reads_.begin(), reads_.end(), [&](const Thread::Read& read) {
      return read.object == object && read.is_of_sections == is_of_sections;
    });
    return at != reads_.end() ? &*at : nullptr;
  }
  bool add_state(const runtime::Object& object, std::uint64_t state) {
    const Thread::Read* const read = known(&object, false);
    if (read != nullptr) return read->state == state;
    reads_.push_back({&object, object.version, false, state});
    return true;
  }

  std::vector<Thread::Read>& reads_;
  std::vector<const runtime::Object*> held_;
};

/// Puts everything that the looks from number `begin` on depend on into `self.awaited`. Returns whether the
/// thread can wait for a change of it.
bool can_await_all(Thread& self, unsigned begin) {
  const Looks& looks = self.looks;
  Awaited awaited(self.awaited);
  if (is_sabotaged(Sabotage::polls_await_the_last_look)) begin = looks.count - 1;
  for (unsigned n = begin; n < looks.count; ++n) {
    if (!awaited.add(looks.kept[n % Looks::kKept])) return false;
  }
  return awaited.is_complete();
}

/// How many nanoseconds a thread that awaits the clock, perhaps among other objects, waits before it looks
/// again. The time it waits for is unknown, so each wait is twice as long as the one before. 0 if the thread
/// does not await the clock, or has already waited so long that it cannot be waiting for a time.
std::int64_t time_to_wait(const Thread& self) {
  constexpr std::int64_t kFirst = 1'000;
  constexpr std::int64_t kLast = std::int64_t{3'600} * 1'000'000'000;
  if (is_sabotaged(Sabotage::polls_do_not_await_time)) return 0;
  const bool awaits_clock = std::any_of(self.awaited.begin(), self.awaited.end(),
      [](const Thread::Read& read) { return execution.is_clock(*read.object); });
  if (!awaits_clock || self.looks.time_passed >= kLast) return 0;
  return self.looks.time_passed == 0 ? kFirst : 2 * self.looks.time_passed;
}

}  // namespace

bool Look::remember() {
  return snapshot(execution.current->index, looks_.count).take();
}

void Look::come_again() {
  constexpr unsigned kLongPoll = 128;
  Thread& self = *execution.current;
  // In the predicate of a hocket::await, the await itself does the waiting.
  const bool may_wait = self.ignores_reads == 0 && !self.is_evaluating;
  if (may_wait && is_to_be_compared(looks_.in_vain, looks_.count - last_)) {
    const runtime::OwnMemory own;
    has_state_ = remember();
    const Snapshot& now = snapshot(self.index, looks_.count);
    // The new snapshot has replaced the oldest one.
    const unsigned first = looks_.count < Looks::kKept ? 0 : looks_.count - Looks::kKept + 1;
    for (unsigned n = last_ + 1; has_state_ && n-- > first;) {
      const Looks::Look& look = looks_.kept[n % Looks::kKept];
      if (look.place != place_ || !look.has_state || !repeats_itself(looks_, n)) continue;
      if (look.values_read != self.values_read && !is_sabotaged(Sabotage::rounds_may_read_other_data))
        continue;
      if (!snapshot(self.index, n).is_like(now)) continue;
      is_repeated_ = true;
      if (can_await_all(self, n)) {
        looks_.in_vain = 0;
        execution.wait_for_other_states(time_to_wait(self));
        return;
      }
      break;
    }
  }
  if (is_repeated_ && looks_.has_locks) return;
  ++looks_.in_vain;
  // Loops that lock and unlock may do so for its own sake.
  if (looks_.has_locks || looks_.in_vain < kLongPoll || !std::has_single_bit(looks_.in_vain)) return;
  execution.note_priced_poll(self.caller);
  execution.yield(runtime::Operation::thread_yield, 0, runtime::Where{});
}

void Look::yield() {
  Look look;
  if (!execution.yield(runtime::Operation::thread_yield, 0, runtime::Where{})) return;
  look.note(nullptr, 0);
  // This code decides itself whether a yield is futile.
  if (execution.current->ignores_reads == 0) execution.current->has_yielded = false;
}

}  // namespace hocket::unmodified
