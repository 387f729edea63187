#include "snapshots.hpp"

#include <cstddef>

#include "../../../runtime/execution/run.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../../../runtime/threads/looks.hpp"
#include "../../../runtime/threads/thread.hpp"
#include "../shadow/cells.hpp"
#include "caller_registers.hpp"

namespace hocket::unmodified {

namespace {

using runtime::Looks;

/// The bits of those bytes in which the words are equal.
std::uint64_t equal_bytes(std::uint64_t one, std::uint64_t other) {
  std::uint64_t equal = 0;
  for (std::uint64_t byte = 0xff; byte != 0; byte <<= 8U) {
    if (((one ^ other) & byte) == 0) equal |= byte;
  }
  return equal;
}

/// The bits of a word on the thread's stack that belong to variables which another thread has written. (The
/// thread itself has not written them since then. Such a write would have to be ordered after the other
/// thread's by more than looks.) The rest of the word may be a variable of the thread's own that code
/// without hooks changes.
std::uint64_t bits_of_others(std::uintptr_t word) {
  const unsigned self = runtime::run.current->index;
  std::uint64_t others = 0;
  std::uint64_t own = 0;
  cells().for_each_in(word, sizeof(std::uint64_t), [&](const Cell& cell) {
    if (cell.has(Cell::kIsAtomic) || cell.used_as != nullptr) {
      others |= cell.bits_in(word);
    } else if (cell.shadow.execution == runtime::run.life && cell.shadow.written != 0) {
      (runtime::thread_of_epoch(cell.shadow.written) == self ? own : others) |= cell.bits_in(word);
    }
  });
  return others & ~own;
}

/// Snapshots of a thread before its last looks. The n-th look has the index n % kKept. Two more are those
/// before its last looks at the clock.
using Snapshots = std::array<Snapshot, Looks::kKept + 2>;

Snapshots& snapshots(unsigned thread) {
  static auto& all =
      *new std::vector<Snapshots>;  // never destroyed: a search may run in a destructor of a global
  if (all.size() <= thread) all.resize(thread + std::size_t{1});
  return all[thread];
}

}  // namespace

bool Snapshot::take() {
  const runtime::Thread& thread = *runtime::run.current;
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

bool Snapshot::is_like(const Snapshot& later) const {
  if (untold_changes_ != later.untold_changes_ && !runtime::is_sabotaged(runtime::Sabotage::rounds_may_write))
    return false;
  if (runtime::is_sabotaged(runtime::Sabotage::rounds_may_count)) return true;
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

Snapshot& snapshot(unsigned thread, unsigned look) {
  return snapshots(thread)[look % Looks::kKept];
}
Snapshot& snapshot_at_clock(unsigned thread, unsigned round) {
  return snapshots(thread)[Looks::kKept + round % 2];
}

}  // namespace hocket::unmodified
