#include "polling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/platform/stack_pointer.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../memory/heap_space.hpp"
#include "../memory/stack_space.hpp"
#include "../shadow/cells.hpp"
#include "atomic_regions.hpp"
#include "caller_registers.hpp"

namespace hocket::unmodified {

namespace {

using runtime::describe;

using runtime::execution;

using runtime::run;
namespace recording = runtime::recording;
using runtime::is_sabotaged;
using runtime::Looks;
using runtime::Sabotage;
using runtime::Thread;

/// What the stack below a frame is filled with between the rounds of a loop. Bytes of a later frame that
/// still have it have not been written there, and so are no state: no valid code reads them.
constexpr std::uint64_t kUnwritten = 0x9b5e2d71c8a3f46eU;

constexpr unsigned kBitsInByte = 8;

/// The bits of those bytes in which the words are equal.
std::uint64_t equal_bytes(std::uint64_t one, std::uint64_t other) {
  std::uint64_t equal = 0;
  for (std::uint64_t byte = 0xff; byte != 0; byte <<= kBitsInByte) {
    if (((one ^ other) & byte) == 0) equal |= byte;
  }
  return equal;
}

/// The bits of the word at `word` that lie in the cell.
std::uint64_t bits_of(const Cell& cell, std::uintptr_t word) {
  std::uint64_t all = 0;
  for (std::size_t byte = 0; byte < sizeof all; ++byte) {
    // The unsigned difference wraps around for bytes before the cell, so they fail the test.
    if (word + byte - cell.address < cell.size) all |= std::uint64_t{0xff} << byte * kBitsInByte;
  }
  return all;
}

/// The bytes at `from` as they lie in the word at `to`.
std::uint64_t moved(std::uint64_t bytes, std::uintptr_t from, std::uintptr_t to) {
  return from >= to ? bytes << (from - to) * kBitsInByte : bytes >> (to - from) * kBitsInByte;
}

/// The state that the caller of one of Hocket's functions finds unchanged when the function returns: the
/// call-preserved registers and the stack from the caller's frame to the end. It also contains the number of
/// the thread's changes elsewhere of which nothing else tells whether they leave everything as it was.
class Snapshot {
 public:
  /// Takes the snapshot of the current thread. Returns whether its state could be determined.
  bool take() {
    const Thread& thread = *run.current;
    const CallerRegisters caller = registers_of_caller();
    registers_ = caller.values;
    stack_ = caller.stack;
    has_frame_pointer_ = caller.has_frame_pointer;
    const auto end = reinterpret_cast<std::uintptr_t>(thread.stack.top);
    constexpr std::uintptr_t kMost = std::uintptr_t{64} << 10U;  // copying more takes too long
    if (stack_ == 0 || stack_ > end || end - stack_ > kMost) return false;
    const auto* const begin = reinterpret_cast<const std::uint64_t*>(stack_);
    words_.assign(begin, begin + (end - stack_) / sizeof(std::uint64_t));
    untold_changes_ = thread.instrumented.untold_changes;
    return true;
  }

  /// The stack pointer of the calling code.
  [[nodiscard]] std::uintptr_t stack() const { return stack_; }
  /// Whether the calling code keeps frame pointers, as it does without optimisation, where the functions that
  /// a round calls have frames with many bytes in them that they do not write.
  [[nodiscard]] bool has_frame_pointer() const { return has_frame_pointer_; }

  /// Whether the thread was in the same state at both snapshots.
  [[nodiscard]] bool is_like(const Snapshot& later) const {
    if (untold_changes_ != later.untold_changes_ && !is_sabotaged(Sabotage::rounds_may_write)) return false;
    if (is_sabotaged(Sabotage::rounds_may_count)) return true;
    if (registers_ != later.registers_ || stack_ != later.stack_ || words_.size() != later.words_.size())
      return false;
    for (std::size_t n = 0; n < words_.size(); ++n) {
      std::uint64_t changed = words_[n] ^ later.words_[n];
      if (changed == 0) continue;
      changed &= ~equal_bytes(later.words_[n], kUnwritten);
      if (changed != 0 && (changed & ~bits_of_others(stack_ + n * sizeof(std::uint64_t))) != 0) return false;
    }
    return true;
  }

 private:
  /// The bits of a word on the thread's stack that belong to variables which another thread has written. (The
  /// thread itself has not written them since then. Such a write would have to be ordered after the other
  /// thread's by more than looks.) The rest of the word may be a variable of the thread's own that code
  /// without hooks changes.
  static std::uint64_t bits_of_others(std::uintptr_t word) {
    const unsigned self = run.current->index;
    std::uint64_t others = 0;
    std::uint64_t own = 0;
    cells().for_each_in(word, sizeof(std::uint64_t), [&](const Cell& cell) {
      if (cell.has(Cell::kIsAtomic) || cell.used_as != nullptr) {
        others |= bits_of(cell, word);
      } else if (cell.shadow.execution == run.life && cell.shadow.written != 0) {
        (runtime::thread_of_epoch(cell.shadow.written) == self ? own : others) |= bits_of(cell, word);
      }
    });
    return others & ~own;
  }

  bool has_frame_pointer_ = false;
  std::uintptr_t stack_ = 0;
  std::array<std::uint64_t, 6> registers_{};
  std::vector<std::uint64_t> words_;
  std::uint32_t untold_changes_ = 0;
};

/// Snapshots of a thread before its last looks. The n-th look has the index n % kKept. Two more are those
/// before its last looks at the clock.
using Snapshots = std::array<Snapshot, Looks::kKept + 2>;

Snapshots& snapshots(unsigned thread) {
  static auto& all =
      *new std::vector<Snapshots>;  // never destroyed: a search may run in a destructor of a global
  if (all.size() <= thread) all.resize(thread + std::size_t{1});
  return all[thread];
}
Snapshot& snapshot(unsigned thread, unsigned look) {
  return snapshots(thread)[look % Looks::kKept];
}
Snapshot& snapshot_at_clock(unsigned thread, unsigned round) {
  return snapshots(thread)[Looks::kKept + round % 2];
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

/// Collects what a round depends on, for Thread::awaited.
class Awaited {
 public:
  explicit Awaited(std::vector<Thread::Read>& reads) : reads_(reads) { reads_.clear(); }

  /// Adds a look of the round. Returns whether the thread can wait for a change of it.
  bool add(const Looks::Look& look) {
    switch (look.kind) {
      case Looks::Kind::look:
        if (look.object == nullptr) return true;
        return look.is_shared ? add_memory(*look.object, look.found) : add_state(*look.object, look.found);
      case Looks::Kind::lock:
      case Looks::Kind::lock_shared:
        return add_section(look);
      case Looks::Kind::unlock:
        if (!holds(look.object)) return false;  // the section began before the round
        held_.erase(std::find(held_.begin(), held_.end(), look.object));
        sections_of(look.object)->state += look.sections;
        return true;
    }
    return false;
  }
  [[nodiscard]] bool is_complete() const { return held_.empty() && !reads_.empty(); }

 private:
  [[nodiscard]] bool holds(const runtime::Object* lock) const {
    return std::find(held_.begin(), held_.end(), lock) != held_.end();
  }
  template <class Predicate>
  Thread::Read* find(const runtime::Object* object, Predicate&& is_it) {
    const auto at = std::find_if(reads_.begin(), reads_.end(),
        [&](const Thread::Read& read) { return read.object == object && is_it(read); });
    return at != reads_.end() ? &*at : nullptr;
  }
  Thread::Read* sections_of(const runtime::Object* lock) {
    return find(lock, [](const Thread::Read& read) { return read.is_of_sections; });
  }
  /// Those of its bits that are in `bits` count.
  bool add_state(const runtime::Object& object, std::uint64_t state, std::uint64_t bits = kAllBits) {
    const Thread::Read* const read =
        find(&object, [bits](const Thread::Read& one) { return !one.is_of_sections && one.bits == bits; });
    if (read != nullptr) return !read->differs_from(state);
    reads_.push_back({&object, object.version, false, state, bits});
    return true;
  }
  /// Where a round takes a lock while it holds another one, it would wait there as long as it cannot have the
  /// inner one.
  bool add_section(const Looks::Look& look) {
    constexpr std::uint64_t kFree = 0;
    const bool is_inner =
        !held_.empty() && !holds(look.object) && !is_sabotaged(Sabotage::polls_await_held_locks);
    const bool may_be_shared =
        look.kind == Looks::Kind::lock_shared && !is_sabotaged(Sabotage::shared_locks_must_be_free);
    if (is_inner && !add_state(*look.object, kFree, may_be_shared ? runtime::kBitsOfHeldAlone : kAllBits))
      return false;
    held_.push_back(look.object);
    if (sections_of(look.object) == nullptr)
      reads_.push_back({look.object, look.object->version, true, look.sections});
    return true;
  }
  /// `object`, in which the round has `found` that state, consists of bytes of memory that belong to other
  /// objects, too. Operations on those are known by the pieces of memory that they touch.
  bool add_memory(const runtime::Object& object, std::uint64_t found) {
    const Cell* const cell = as_cell(object);
    if (cell == nullptr || cell->size > sizeof found) return false;  // then it is no more than a hash
    if (is_sabotaged(Sabotage::overlaps_are_not_awaited)) return add_state(object, found);
    bool can_be_awaited = true;
    for_each_part_of(*cell, [&](MemoryPart& part) {
      const std::uint64_t bits = bits_of(*cell, part.address);
      if (bits == 0) return;
      if (run.recording) recording::name(part, describe(object));
      can_be_awaited &= add_state(part, moved(found, cell->address, part.address), bits);
    });
    return can_be_awaited;
  }

  static constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

  std::vector<Thread::Read>& reads_;
  std::vector<const runtime::Object*> held_;
};

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

/// The first time, in nanoseconds, that a thread waits for which polls the clock in rounds of so many looks.
std::int64_t first_time_to_wait(unsigned round) {
  return std::int64_t{1'000} * (round > Looks::kKept / 2 ? round : 1);
}

/// How many nanoseconds a thread that awaits the clock, perhaps among other objects, waits before it looks
/// again, in a loop that has so many looks in a round. The time it waits for is unknown, so each wait is
/// twice as long as the one before. 0 if the thread does not await the clock, or has already waited so long
/// that it cannot be waiting for a time.
std::int64_t time_to_wait(const Thread& self, unsigned round) {
  constexpr std::int64_t kLast = std::int64_t{3'600} * 1'000'000'000;
  if (is_sabotaged(Sabotage::polls_do_not_await_time)) return 0;
  const bool awaits_clock = std::any_of(self.awaited.begin(), self.awaited.end(),
      [](const Thread::Read& read) { return execution.is_clock(*read.object); });
  if (!awaits_clock || self.instrumented.looks.time_passed >= kLast) return 0;
  return self.instrumented.looks.time_passed == 0 ? first_time_to_wait(round)
                                                  : 2 * self.instrumented.looks.time_passed;
}

}  // namespace

namespace {

constexpr unsigned kLongPoll = 128;  ///< rounds that few loops reach which end by themselves

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
        execution.awaiting.wait_for_other_states(time_to_wait(self, looks_.count - n));
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
    static_cast<void>(execution.blocking.yield(runtime::Operation::thread_yield, 0, runtime::Where{}));
  }
}

void Look::go_on_alone() {
  if (--looks_.steps_to_go == 0) {
    looks_.endless_in = run.life;
    looks_.in_vain = kLongPoll;
    static_cast<void>(execution.blocking.yield(runtime::Operation::thread_yield, 0, runtime::Where{}));
    return;
  }
  is_alone_ = true;
  execution.scheduling.forbid_preemption();
  execution.pace.grant_a_step();
}

// ---------------------------------------------------------------------------------------------------------------------
// Loops that come by the clock
//
// They often make many looks between two at the clock, more than are kept. A round that is silent is
// recognised by a hash of its looks, and by the thread's state at the clock.
//
// Such a loop comes to its end when time passes, even if its rounds are not silent. So where a long loop
// runs to its end alone, or nobody else could run, time passes at its looks at the clock.

void Look::add_to_round(const Looks::Look& look) {
  Looks::ClockRound& round = run.current->instrumented.looks.by_clock;
  const bool is_clock = look.object != nullptr && execution.is_clock(*look.object);
  ++round.size;
  round.looks = runtime::mix(runtime::mix(round.looks, look.place), look.values_found);
  round.looks = runtime::mix(round.looks, is_clock ? 0 : look.found);
  if (look.kind != Looks::Kind::look) round.read = Looks::ClockRound::kMostRead + 1;
  if (is_clock || look.object == nullptr || round.read > Looks::ClockRound::kMostRead) return;
  const auto end = round.reads.begin() + round.read;
  const auto is_known = [&](const Looks::Look& one) {
    return one.object == look.object && one.found == look.found && one.is_shared == look.is_shared;
  };
  if (std::any_of(round.reads.begin(), end, is_known)) return;
  if (round.read != Looks::ClockRound::kMostRead) *end = look;
  ++round.read;
}

bool Look::repeats_round() {
  Thread& self = *run.current;
  Looks::ClockRound& round = looks_.by_clock;
  const std::uint64_t hash = runtime::mix(round.looks, self.instrumented.values_found);
  round.rounds = hash == round.looks_before ? round.rounds + 1 : 1;
  round.looks_before = hash;
  const runtime::OwnMemory own;
  Snapshot& now = snapshot_at_clock(self.index, round.rounds);
  is_by_clock_ = now.take();
  if (!is_by_clock_) round.rounds = 0;
  // With frame pointers, a round leaves the same behind only when it has run once after the first marks.
  if (round.rounds < 2 || (now.has_frame_pointer() && round.rounds < 3)) return false;
  return snapshot_at_clock(self.index, round.rounds - 1).is_like(now) ||
         is_sabotaged(Sabotage::clock_rounds_may_differ);
}

bool Look::has_passed_alike() const {
  return looks_.time_passed != 0 && looks_.by_clock.rounds > 1;
}

bool Look::lets_time_pass() const {
  return has_passed_alike() || looks_.steps_to_go != 0 || looks_.in_vain >= kLongPoll ||
         run.current->instrumented.clock_visits.count >= kLongPoll;
}

void Look::come_by_clock() {
  constexpr unsigned kMostOthers = 4;
  Thread& self = *run.current;
  const runtime::Object& clock = runtime::clock_object();
  runtime::ClockVisits& visits = self.instrumented.clock_visits;
  if (visits.place != place_ || visits.version != clock.version) visits = {place_, 0, clock.version, 0};
  ++visits.count;
  if (self.is_guarded || self.is_evaluating || self.ignores_reads != 0) return;
  Looks::ClockRound& round = looks_.by_clock;
  if (round.place != place_ && round.place != 0) {
    const bool may_be_in_round = round.latest_other != place_ && ++round.others < kMostOthers;
    round.latest_other = place_;
    if (may_be_in_round) return;
  }
  const bool is_repeated = round.place == place_ && repeats_round();
  if (round.place != place_) round.rounds = 0;
  round.place = place_;
  if (!is_repeated && !lets_time_pass()) return;
  Awaited awaited(self.awaited);
  const runtime::OwnMemory own;
  bool can_await = awaited.add({place_, &clock, clock.version, 0, false, false});
  const bool awaits_looks = is_repeated && !is_sabotaged(Sabotage::clock_rounds_await_the_clock);
  can_await &= !awaits_looks || round.read <= Looks::ClockRound::kMostRead;
  for (unsigned n = 0; awaits_looks && can_await && n < round.read; ++n)
    can_await = awaited.add(round.reads[n]);
  if (is_repeated && !can_await) return;
  if (!is_repeated) {
    looks_.time_passed =
        std::max({first_time_to_wait(round.size + 1) / 2, looks_.time_passed, visits.time_passed});
    if (runtime::EnabledThreads::is_late(2 * looks_.time_passed)) return;
    visits.count = std::max<std::uint32_t>(visits.count, kLongPoll);
    if (!has_passed_alike()) execution.scheduling.note_passing_time(self.instrumented.caller);
  } else {
    looks_.in_vain = 0;
  }
  execution.awaiting.wait_for_other_states(time_to_wait(self, round.size + 1));
}

void Look::leave_clock() {
  Looks::ClockRound& round = looks_.by_clock;
  runtime::ClockVisits& visits = run.current->instrumented.clock_visits;
  visits.version = runtime::clock_object().version;
  visits.time_passed = looks_.time_passed;
  if (round.place != place_) return;
  round.latest_other = round.others = round.size = round.read = 0;
  round.looks = 0;
  if (is_by_clock_) mark_stack_as_unwritten();
}

void Look::end_alone() {
  is_alone_ = false;
  execution.scheduling.allow_preemption();
}

void Look::yield() {
  Look look;
  if (!execution.blocking.yield(runtime::Operation::thread_yield, 0, runtime::Where{})) return;
  look.note(nullptr, 0);
  // This code decides itself whether a yield is futile.
  if (run.current->ignores_reads == 0) run.current->has_yielded = false;
}

}  // namespace hocket::unmodified
