#include "heap.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include <sys/mman.h>

#include "../../../runtime/diagnosis/source_text.hpp"
#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/execution/recording.hpp"
#include "../../../runtime/platform/symbols/call_site.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../host/call_origin.hpp"
#include "../naming/block_names.hpp"
#include "../shadow/cells.hpp"
#include "../shadow/models.hpp"
#include "outer_blocks.hpp"

namespace hocket::unmodified {

namespace {

using runtime::describe;

using runtime::execution;

using runtime::FailureKind;
using runtime::run;
using runtime::Where;

/// Memory beyond this size that is unused between executions is given back to the system.
constexpr std::size_t kKept = std::size_t{256} * 1024;

/// Clears the memory between the two addresses.
void forget(std::uintptr_t begin, std::uintptr_t end) {
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t kept = std::min(end, (begin + kKept + kPage - 1) / kPage * kPage);
  std::memset(reinterpret_cast<void*>(begin), 0, kept - begin);
  if (end > kept) madvise(reinterpret_cast<void*>(kept), end - kept, MADV_DONTNEED);
}

/// "main, at queue.cpp:7"
std::string by(unsigned thread, const Where& where) {
  return describe(execution.thread(thread)) + runtime::at(where);
}

/// "1 byte", "8 bytes"
std::string bytes(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

/// What an interrupted execution has recorded is not told.
bool is_recorded() {
  return run.recording && !execution.verdict.is_interrupted();
}

Where place_of_call() {
  return is_recorded() ? runtime::platform::user_call_site(Where{}) : Where{};
}

Where place_of_new_block(std::uintptr_t begin) {
  if (!is_recorded()) return {};
  note_block(begin);
  return place_of_call();
}

Where place_of_free(std::uintptr_t begin) {
  if (!is_recorded()) return {};
  note_free(begin);
  return place_of_call();
}

void fail_where_all_is_given_out() {
  runtime::step::fail(FailureKind::misuse,
      describe(*run.current) + " has allocated " + std::to_string(Heap::kSizeOfPart >> 30U) +
          " GiB in this execution, counting what it has freed, and Hocket has no more addresses for it: "
          "freed " +
          "memory is not given out again within an execution, so that uses after free are found",
      Where{});
}

}  // namespace

constinit Heap* the_heap = nullptr;

void make_heap() {
  the_heap = new Heap;
}

// Where the system limits addresses (ulimit -v), as few as necessary are taken.
bool Heap::map_more(unsigned thread, Part& part, std::size_t size) {
  const std::uintptr_t begin = kBegin + thread * kSizeOfPart;
  if (part.next == 0) part.next = part.first = part.mapped_end = begin;
  constexpr std::size_t kMultiple = std::size_t{1} << 20U;
  const std::size_t needed = (size + kMultiple - 1) / kMultiple * kMultiple;
  const std::size_t left = begin + kSizeOfPart - part.mapped_end;
  if (needed > left) return false;
  for (const std::size_t usual :
      {std::size_t{1} << 32U, std::size_t{1} << 28U, std::size_t{1} << 24U, kMultiple}) {
    const std::size_t more = std::min(std::max(usual, needed), left);
    if (!HeapSpace::map(part.mapped_end, more)) continue;
    if (run.options.own_process && part.mapped_by_child_from == 0)
      part.mapped_by_child_from = part.mapped_end;
    part.mapped_end += more;
    return true;
  }
  return false;
}

// Memory before the last block in use is not given out again, because addresses only rise.
void Heap::keep_what_is_in_use(unsigned thread, Part& part) {
  std::erase_if(part.blocks, [](const Block& block) { return block.is_freed; });
  part.kept = part.blocks.size();
  part.first = kBegin + thread * kSizeOfPart;
  if (part.kept == 0) return;
  const Block& last = part.blocks.back();
  part.first = (last.address + last.size + kUnit - 1) / kUnit * kUnit;
}

void Heap::begin(bool keeps_memory) {
  if (!keeps_memory) outer_blocks().begin();
  for (std::size_t thread = 0; thread < parts_.size(); ++thread) {
    Part& part = parts_[thread];
    if (part.blocks.empty() || part.next == 0) continue;
    if (keeps_memory) keep_what_is_in_use(static_cast<unsigned>(thread), part);
    forget(part.first, part.next);
    forget(reinterpret_cast<std::uintptr_t>(HeapSpace::state_of(part.first)),
        reinterpret_cast<std::uintptr_t>(HeapSpace::state_of(part.next)) + 1);
    part.next = part.first;
    part.blocks.resize(part.kept);
  }
}

void Heap::begin_untouched() {
  outer_blocks().begin();
  for (Part& part : parts_) {
    part.next = part.first;
    part.blocks.resize(part.kept);
  }
}

void Heap::reserve_as_child_did() {
  for (std::size_t thread = 0; thread < parts_.size(); ++thread) {
    Part& part = parts_[thread];
    if (part.mapped_by_child_from == 0) continue;
    if (!HeapSpace::map(part.mapped_by_child_from, part.mapped_end - part.mapped_by_child_from))
      part.mapped_end = part.mapped_by_child_from;
    if (part.mapped_end == kBegin + thread * kSizeOfPart) part.next = part.first = 0;
    part.mapped_by_child_from = 0;
  }
}

void* Heap::allocate(std::size_t size, std::size_t alignment) {
  void* const memory = allocate_block(size, alignment);
  if (run.counts_memory) [[unlikely]] {
    runtime::note_allocated(reinterpret_cast<std::uintptr_t>(memory), size, Where{});
  } else if (runtime::on_allocation_of_body != nullptr) {
    runtime::on_allocation_of_body();
  }
  return memory;
}

void* Heap::allocate_block(std::size_t size, std::size_t alignment) {
  assert(runtime::is_on_body());
  const runtime::OwnMemory own;
  const unsigned thread = run.current->index;
  if (parts_.size() <= thread) parts_.resize(thread + std::size_t{1});
  Part& part = parts_[thread];
  if (part.next == 0 && !map_more(thread, part, kUnit)) return nullptr;
  // At least one unit between two blocks belongs to neither of them.
  const std::size_t multiple = std::max(alignment, kUnit);
  const std::uintptr_t at = (part.next + kUnit + multiple - 1) / multiple * multiple;
  const std::uintptr_t end = kBegin + (thread + std::uintptr_t{1}) * kSizeOfPart;
  if (size > kSizeOfPart / 2) return nullptr;
  if (at >= end || size > end - at - kUnit) {
    fail_where_all_is_given_out();
    return nullptr;
  }
  const std::uintptr_t needed_end = at + size + 2 * kUnit;
  if (needed_end > part.mapped_end && !map_more(thread, part, needed_end - part.mapped_end)) return nullptr;
  assert(at > part.first && needed_end <= part.mapped_end);
  HeapSpace::mark_used(at, size);
  part.next = (at + size + kUnit - 1) / kUnit * kUnit;
  part.blocks.push_back({at, size, false, 0, place_of_new_block(at), {}});
  return reinterpret_cast<void*>(at);
}

Heap::Block* Heap::block_at(std::uintptr_t address) {
  const std::size_t thread = (address - kBegin) / kSizeOfPart;
  if (thread >= parts_.size()) return nullptr;
  std::vector<Block>& blocks = parts_[thread].blocks;
  const auto found = std::lower_bound(blocks.begin(), blocks.end(), address,
      [](const Block& block, std::uintptr_t at) { return block.address < at; });
  return found != blocks.end() && found->address == address ? &*found : nullptr;
}

std::size_t Heap::size_of(const void* memory) {
  const Block* const block = block_at(reinterpret_cast<std::uintptr_t>(memory));
  return block != nullptr ? block->size : 0;
}

void Heap::release(void* memory) {
  if (!is_from_body()) return;  // the heap is emptied before the next execution
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  Block* const block = OuterHeap::contains(at) ? outer_blocks().at(at) : block_at(at);
  if (block == nullptr) {
    fail("frees memory that is not the beginning of a block", at);
    return;
  }
  if (block->is_freed) {
    fail("frees a block a second time", at);
    return;
  }
  if (execution.thread_count() > 1 && !runtime::is_sabotaged(runtime::Sabotage::frees_are_no_writes)) {
    cells().for_each_in(at, block->size, [](Cell& cell) {
      runtime::step::access(cell, runtime::VarAccess::free_block, Where{});
      cell.flags |= Cell::kIsFreed;
      if (cell.used_as != nullptr) end_object_in_heap(cell.address);
    });
  }
  if (run.counts_memory) [[unlikely]]
    runtime::note_freed(at);
  assert(block->address == at && !block->is_freed);
  const runtime::OwnMemory own;
  block->is_freed = true;
  block->freed_by = run.current->index;
  block->freed_at = place_of_free(at);
  HeapSpace::mark_freed(at, block->size);
  if (!OuterHeap::contains(at)) HeapSpace::give_back(at, block->size);
}

std::optional<std::uintptr_t> Heap::distance_of(std::uintptr_t address) const {
  const std::size_t thread = (address - kBegin) / kSizeOfPart;
  const bool is_of_execution =
      thread < execution.thread_count() && (thread >= parts_.size() || address >= parts_[thread].first);
  if (!is_of_execution) return {};
  const std::uintptr_t first = thread < parts_.size() && parts_[thread].first != 0
                                   ? parts_[thread].first
                                   : kBegin + thread * kSizeOfPart;
  return address - first;
}

Heap::Location Heap::locate(std::uintptr_t address) const {
  Location found;
  found.thread = static_cast<unsigned>((address - kBegin) / kSizeOfPart);
  if (found.thread >= parts_.size()) return found;
  const std::vector<Block>& blocks = parts_[found.thread].blocks;
  const auto behind = std::upper_bound(blocks.begin(), blocks.end(), address,
      [](std::uintptr_t at, const Block& block) { return at < block.address; });
  if (behind == blocks.begin()) return found;
  found.block = &*std::prev(behind);
  const auto count = static_cast<std::size_t>(behind - blocks.begin());
  const std::size_t kept = parts_[found.thread].kept;
  found.number = count > kept ? count - kept : 0;
  found.offset = static_cast<std::ptrdiff_t>(address - found.block->address);
  return found;
}

const Heap::Block* Heap::block_behind(std::uintptr_t address) const {
  const std::size_t thread = (address - kBegin) / kSizeOfPart;
  if (thread >= parts_.size()) return nullptr;
  const std::vector<Block>& blocks = parts_[thread].blocks;
  const auto found = std::upper_bound(blocks.begin(), blocks.end(), address,
      [](std::uintptr_t at, const Block& block) { return at < block.address; });
  return found != blocks.end() ? &*found : nullptr;
}

// The access may span several units, or it may be wrong.
void Heap::check_slowly(std::uintptr_t address, std::size_t size, const char* does) {
  if (size == 0) return;
  for (std::size_t done = 0; done < size;) {
    const std::uintptr_t at = address + done;
    const std::size_t left = std::min(kUnit - at % kUnit, size - done);
    if (at % kUnit + left > *HeapSpace::state_of(at)) {
      fail(std::string(does) + " " + bytes(size), at);
      return;
    }
    done += left;
  }
}

// "thread 1 reads 8 bytes, byte 4 of a block of 24 bytes that …". `address` is the first address that is
// wrong.
void Heap::fail(std::string what, std::uintptr_t address) {
  const runtime::OwnMemory own;
  const bool is_outer = OuterHeap::contains(address);
  const Location at = is_outer ? Location{} : locate(address);
  std::string message = describe(*run.current) + " " + std::move(what);
  const Where where = place_of_call();
  const Block* block = is_outer ? outer_blocks().around(address) : at.block;
  // An access far after the memory that was kept is not an overrun of the last block there.
  constexpr std::uintptr_t kFar = 64;  // bytes
  const bool is_behind_kept =
      block != nullptr && !is_outer && !distance_of(block->address) && distance_of(address);
  if (is_behind_kept && address - block->address - block->size >= kFar) block = nullptr;
  const bool is_inside = block != nullptr && address < block->address + block->size;
  const Block* const behind = is_inside || is_outer ? nullptr : block_behind(address);
  const bool is_before =
      behind != nullptr &&
      (block == nullptr || behind->address - address < address - block->address - block->size);
  if (is_before) block = behind;
  if (block == nullptr && is_outer) {
    message += ": it was freed before the search, or nothing was allocated there";
  } else if (block == nullptr) {
    message += ": nothing was allocated there, or it belonged to an earlier execution, whose memory is gone";
  } else {
    message += is_inside   ? ", byte " + std::to_string(address - block->address) + " of"
               : is_before ? ", " + bytes(block->address - address) + " before"
                           : ", " + bytes(address - block->address - block->size) + " past the end of";
    message += " a block of " + bytes(block->size) + " that ";
    if (is_outer) {
      message += "was allocated before the search";
    } else {
      message += (distance_of(block->address) ? by(at.thread, block->made_at) : "an earlier execution") +
                 " allocated";
    }
    if (block->is_freed) message += " and " + by(block->freed_by, block->freed_at) + " freed";
  }
  if (block != nullptr && run.recording) explain_by_stacks_of_block(block->address);
  runtime::step::fail(FailureKind::heap_error, message, where);
}

}  // namespace hocket::unmodified
