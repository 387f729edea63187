#include "cells.hpp"

#include <cassert>

#include "../../../runtime/diagnosis/trace.hpp"
#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../hooks/annotations.hpp"
#include "../hooks/memory_parts.hpp"
#include "../host/control_blocks.hpp"
#include "../host/stacks.hpp"
#include "../memory/heap_space.hpp"
#include "../memory/stack_space.hpp"
#include "../naming/address_names.hpp"
#include "hocket_objects.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;

using runtime::run;

std::uint64_t fingerprint_of_memory(const runtime::Object& object) {
  const auto& cell = static_cast<const Cell&>(object);
  return fingerprint_of_bytes(reinterpret_cast<const void*>(cell.address), cell.size);
}

std::uint64_t fingerprint_from_memory(
    const runtime::Object& object, std::span<const runtime::PartState> parts) {
  const auto& cell = static_cast<const Cell&>(object);
  return fingerprint_from_parts(cell.address, cell.size, parts);
}

constexpr runtime::ObjectKind kMemoryKind{"memory", [](const runtime::Object&) -> void* { return nullptr; },
    [](runtime::Object&, const void*) {}, [](void*) {}, &fingerprint_of_memory, nullptr, true,
    &fingerprint_from_memory};

}  // namespace

const Cell* as_cell(const runtime::Object& object) {
  return object.kind == &kMemoryKind ? &static_cast<const Cell&>(object) : nullptr;
}

constinit Cells* all_cells = nullptr;

void make_cells() {
  all_cells = new Cells;
}

Cell::Cell(std::uintptr_t the_address, std::uint32_t the_size)
    : Var(kMemoryKind, runtime::FoundAt{0}), address(the_address), size(the_size) {
  life = runtime::Life::outside;
}

std::uint64_t Cell::bits_in(std::uintptr_t word) const {
  constexpr unsigned kBitsInByte = 8;
  std::uint64_t all = 0;
  for (std::size_t byte = 0; byte < sizeof all; ++byte) {
    // The unsigned difference wraps around for bytes before the cell, so they fail the test.
    if (word + byte - address < size) all |= std::uint64_t{0xff} << byte * kBitsInByte;
  }
  return all;
}

void Cell::find_key() {
  if (key == 0) key = runtime::mix(key_of(address), size);
}

void Cells::clear() {
  thread_locals_.clear();
  last_found_.fill(nullptr);
  first_.clear();
  made_.clear();
}

void Cells::begin() {
  thread_locals_.clear();
  constexpr std::size_t kFew = 1U << 16U;
  const std::uint64_t needed = run.first_touches - touched_before_;
  touched_before_ = run.first_touches;
  if (made_.size() > kFew + 2 * needed) clear();
}

Cell& Cells::make(std::uintptr_t address, std::uint32_t size) {
  const runtime::OwnMemory own;
  Cell& made = made_.make(address, size);
  Cell** link = &first_.insert(address / kGranule);
  for (Cell* cell = *link; cell != nullptr; cell = cell->next) {
    if (size == 0 || cell->is_use()) continue;
    if (cell->address >= address + size || address >= cell->address + cell->size) continue;
    cell->flags |= Cell::kOverlaps;
    made.flags |= Cell::kOverlaps;
  }
  // The order must not depend on what other executions have touched before.
  const auto comes_before = [](const Cell& a, const Cell& b) {
    return a.address != b.address ? a.address < b.address : a.size < b.size;
  };
  while (*link != nullptr && comes_before(**link, made)) link = &(*link)->next;
  made.next = *link;
  *link = &made;
  return made;
}

Cell& Cells::find_slowly(std::uintptr_t address, std::uint32_t size) {
  Cell* cell = last_found(address);
  if (cell == nullptr || !cell->is_of(address, size)) {
    cell = first_of(address / kGranule);
    while (cell != nullptr && !cell->is_of(address, size)) cell = cell->next;
    if (cell == nullptr) cell = &make(address, size);
    last_found_[place_of(address)] = cell;
  }
  assert(cell->is_of(address, size));
  if (cell->life != run.life) begin(*cell);
  return *cell;
}

[[gnu::always_inline]] inline void Cells::begin(Cell& cell) {
  assert(cell.life != run.life);
  cell.life = run.life;
  cell.key = 0;
  cell.version = 0;
  cell.clocks = 0;
  cell.shadow = {};
  cell.shadow.execution = run.life;
  cell.used_as = nullptr;
  cell.region = nullptr;
  const bool is_own = is_of_hocket(cell.address, cell.size);
  const bool is_benign = benign_memory().overlaps(cell.address, cell.size);
  cell.flags =
      static_cast<std::uint8_t>((cell.flags & Cell::kOverlaps) | (is_own ? Cell::kOwnedByHocket : 0) |
                                (is_benign ? Cell::kIsBenign : 0));
  ++run.first_touches;
  const SpanOfThreadLocals& span = span_of_thread_locals;
  if (cell.address - span.begin < span.end - span.begin) [[unlikely]]
    note_thread_local(cell);
  if (run.recording && !is_own) [[unlikely]] {
    const runtime::OwnMemory own;
    run.trace()->object_replaced(cell);  // which has a name when one is needed: most never do
  }
}

// It is a cell of each execution anew, and so comes here, as soon as the thread has ended.
void Cells::note_thread_local(Cell& cell) {
  const bool is_elsewhere = HeapSpace::contains(cell.address) || StackSpace::contains(cell.address);
  const std::optional<unsigned> owner = is_elsewhere ? std::nullopt : owner_of_thread_local(cell.address);
  if (!owner || *owner >= execution.thread_count()) return;
  if (execution.thread(*owner).state == runtime::Thread::State::ended)
    return use_ended_thread_local(cell.address, *owner);
  const runtime::OwnMemory own;
  thread_locals_.push_back({&cell, *owner});
}

void Cells::end_thread_locals(unsigned thread) {
  for (const ThreadLocal& one : thread_locals_) {
    if (one.owner == thread) one.cell->life = runtime::Life::outside;
  }
}

void Cells::use(std::uintptr_t address) {
  Cell& cell = find(address, 0);
  cell.used_as = "data on which races are benign";
  runtime::step::access(cell, runtime::VarAccess::atomic_write, runtime::Where{});
}

bool Cells::is_still_own(Cell& cell) {
  if (is_of_hocket(cell.address, cell.size)) return true;
  cell.flags &= static_cast<std::uint8_t>(~Cell::kOwnedByHocket);
  return false;
}

void Cells::check_others(Cell& cell, runtime::VarAccess access) {
  const std::uintptr_t end = cell.address + cell.size;
  Cell* other = cells().first_of(cell.address / kGranule);
  for (; other != nullptr; other = other->next) {
    if (other == &cell || other->is_use()) continue;
    if (other->address >= end || cell.address >= other->address + other->size) continue;
    execution.races.check_against(*other, access);
  }
}

}  // namespace hocket::unmodified
