#include "polling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/platform/stack_pointer.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../memory/heap_space.hpp"
#include "../memory/stack_space.hpp"
#include "awaited.hpp"
#include "snapshots.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;
using runtime::is_sabotaged;
using runtime::Looks;
using runtime::run;
using runtime::Sabotage;
using runtime::Thread;

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
  const unsigned size = looks.count - begin;
  const unsigned known = std::min(looks.count, Looks::kKept);
  if (2 * size > known) return false;
  for (unsigned n = begin; n < looks.count; ++n) {
    const Looks::Look& look = looks.kept[n % Looks::kKept];
    const Looks::Look& before = looks.kept[(n - size) % Looks::kKept];
    if (look.place != before.place || look.object != before.object || look.found != before.found)
      return false;
    // What the thread read before the earlier round is not part of that round.
    if (n != begin && look.values_found != before.values_found &&
        !is_sabotaged(Sabotage::rounds_may_read_other_data))
      return false;
  }
  return true;
}

/// Whether the thread is in the same state as at the look with number `begin`, of which the last snapshot,
/// with number looks.count, is a repetition. The states are compared where the round has least on the stack,
/// and so fewest frames with bytes in them that nobody has written: what is on top of that follows from it.
bool has_same_state(const Thread& self, unsigned begin) {
  const Looks& looks = self.instrumented.looks;
  const unsigned size = looks.count - begin;
  const auto has_state = [&](unsigned n) {
    return n == looks.count || looks.kept[n % Looks::kKept].has_state;
  };
  unsigned later = looks.count;
  for (unsigned n = looks.count; --n > begin;) {
    if (has_state(n) && snapshot(self.index, n).stack() > snapshot(self.index, later).stack()) later = n;
  }
  const unsigned earlier = later - size;
  if (!has_state(earlier)) return false;
  // With frame pointers, a round leaves the same behind only when it has run once after the first marks.
  const bool needs_another = snapshot(self.index, later).has_frame_pointer();
  if (needs_another && (3 * size >= Looks::kKept || !has_state(earlier - size))) return false;
  return snapshot(self.index, earlier).is_like(snapshot(self.index, later));
}

/// Puts everything that the looks from number `begin` on depend on into `self.awaited`. Returns whether the
/// thread can wait for a change of it.
bool can_await_all(Thread& self, unsigned begin) {
  const Looks& looks = self.instrumented.looks;
  Awaited awaited(self.awaited);
  if (is_sabotaged(Sabotage::polls_await_the_last_look)) begin = looks.count - 1;
  for (unsigned n = begin; n < looks.count; ++n) {
    if (!awaited.add(looks.kept[n % Looks::kKept])) return false;
  }
  return awaited.is_complete();
}

/// Whether the bytes can still be read. The program may have unmapped them, unless they are in Hocket's care.
bool is_mapped(std::uintptr_t address, std::size_t size) {
  if (HeapSpace::contains(address) || StackSpace::contains(address)) return true;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = address / page * page;
  std::array<unsigned char, 2> residence{};
  return mincore(reinterpret_cast<void*>(begin), address + size - begin, residence.data()) == 0;
}

}  // namespace

// If two rounds find the same where they write, the first one has left everything there as it was. In between
// it may have changed, which other threads can see if the round has sections in which they wait for it.
void Look::settle_writes() {
  Thread& self = *run.current;
  runtime::LatestWrites& writes = self.instrumented.latest_writes;
  if (is_sabotaged(Sabotage::rounds_may_write)) writes.count = 0;
  if (writes.count > runtime::LatestWrites::kKept) self.instrumented.note_untold_change();
  for (unsigned n = 0; n < std::min(writes.count, runtime::LatestWrites::kKept); ++n) {
    const auto& [address, before, size] = writes.kept[n];
    if (size == 0) break;  // what was written there was too large to keep, and nothing after it is kept
    if (!is_mapped(address, size)) {
      self.instrumented.note_untold_change();
      continue;
    }
    std::uint64_t now = 0;
    std::memcpy(&now, reinterpret_cast<const void*>(address), size);
    if (now != before && !is_sabotaged(Sabotage::rounds_may_write_for_a_moment))
      ++self.instrumented.plain_changes;
    self.instrumented.values_found = runtime::mix(self.instrumented.values_found + address, before);
  }
  writes.count = 0;
}

bool Look::may_end_a_round(const runtime::Object* object) const {
  const unsigned first = looks_.count < Looks::kKept ? 0 : looks_.count - Looks::kKept;
  for (unsigned n = last_ + 1; n-- > first;) {
    const Looks::Look& look = looks_.kept[n % Looks::kKept];
    if (look.place == place_ && look.object == object) return true;
  }
  return false;
}

void Look::mark_stack_as_unwritten() {
  constexpr std::uintptr_t kBytes = std::uintptr_t{8} << 10U;
  const std::uintptr_t end = runtime::platform::stack_pointer();
  std::uintptr_t begin = end - kBytes;
  if (begin < reinterpret_cast<std::uintptr_t>(run.current->stack.bottom)) return;
  std::uintptr_t words = kBytes / sizeof kUnwritten;
  __asm__ volatile("rep stosq" : "+D"(begin), "+c"(words) : "a"(kUnwritten) : "memory");
}

bool Look::remember() {
  return snapshot(run.current->index, looks_.count).take();
}

void Look::come_again() {
  Thread& self = *run.current;
  // In the predicate of a hocket::await, the await itself does the waiting.
  const bool may_wait = self.ignores_reads == 0 && !self.is_evaluating;
  if (may_wait && is_to_be_compared(looks_.in_vain, looks_.count - last_)) {
    const runtime::OwnMemory own;
    has_state_ = remember();
    // The new snapshot has replaced the oldest one.
    const unsigned first = looks_.count < Looks::kKept ? 0 : looks_.count - Looks::kKept + 1;
    for (unsigned n = last_ + 1; has_state_ && n-- > first;) {
      const Looks::Look& look = looks_.kept[n % Looks::kKept];
      if (look.place != place_ || !repeats_itself(looks_, n)) continue;
      if (look.values_found != self.instrumented.values_found &&
          !is_sabotaged(Sabotage::rounds_may_read_other_data))
        continue;
      if (!has_same_state(self, n)) continue;
      is_repeated_ = true;
      if (can_await_all(self, n)) {
        looks_.in_vain = 0;
        execution.awaiting.wait_for_other_states(time_to_wait(looks_.count - n));
        return;
      }
      break;
    }
  }
  if (is_repeated_ && looks_.has_locks) return;
  ++looks_.in_vain;
  if (looks_.has_locks) return;  // loops that lock and unlock may do so for its own sake
  if (looks_.in_vain >= kLongPoll && looks_.steps_to_go == 0 && std::has_single_bit(looks_.in_vain))
    poll_for_long();
  if (looks_.steps_to_go != 0) go_on_alone();
}

// Such a loop may count its rounds and end by itself, after as many as a thread spins before it blocks. So
// one of the choices is that it comes to its end before any other thread runs. If it does not, it waits.
void Look::poll_for_long() {
  constexpr std::uint32_t kMostSteps = 40'000;
  Thread& self = *run.current;
  execution.scheduling.note_priced_poll(self.instrumented.caller);
  const bool is_first = looks_.in_vain == kLongPoll && looks_.endless_in != run.life;
  const bool is_sure = is_sabotaged(Sabotage::long_polls_are_alone);
  if (is_first && (is_sure || execution.scheduling.polls_to_its_end(runtime::Where{}))) {
    looks_.steps_to_go = kMostSteps;
  } else {
    static_cast<void>(runtime::step::yield(runtime::Operation::thread_yield, 0, runtime::Where{}));
  }
}

void Look::go_on_alone() {
  if (--looks_.steps_to_go == 0) {
    looks_.endless_in = run.life;
    looks_.in_vain = kLongPoll;
    static_cast<void>(runtime::step::yield(runtime::Operation::thread_yield, 0, runtime::Where{}));
    return;
  }
  is_alone_ = true;
  runtime::step::forbid_preemption();
  execution.pace.grant_a_step();
}

void Look::end_alone() {
  is_alone_ = false;
  runtime::step::allow_preemption();
}

void Look::yield() {
  Look look;
  if (!runtime::step::yield(runtime::Operation::thread_yield, 0, runtime::Where{})) return;
  look.note(nullptr, 0);
  // This code decides itself whether a yield is futile.
  if (run.current->ignores_reads == 0) run.current->has_yielded = false;
}

}  // namespace hocket::unmodified
