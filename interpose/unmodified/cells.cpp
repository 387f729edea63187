#include <hocket/interpose/unmodified/cells.hpp>

#include <algorithm>
#include <cstring>

#include <hocket/interpose/unmodified/faces.hpp>
#include <hocket/interpose/unmodified/place.hpp>
#include <hocket/runtime/allocations.hpp>

namespace hocket::unmodified {

namespace {

using runtime::execution;

std::uint64_t fingerprint_of_memory(const runtime::Object& object) {
  const auto& cell = static_cast<const Cell&>(object);
  return fingerprint_of_bytes(reinterpret_cast<const void*>(cell.address), cell.size);
}

// The words are aligned, and the first one holds the first byte.
std::uint64_t fingerprint_from_words(const runtime::Object& object, std::span<const std::uint64_t> words) {
  const auto& cell = static_cast<const Cell&>(object);
  return fingerprint_of_bytes(
      reinterpret_cast<const char*>(words.data()) + cell.address % sizeof(std::uint64_t), cell.size);
}

constexpr runtime::ObjectKind kMemoryKind{"memory", [](const runtime::Object&) -> void* { return nullptr; },
    [](runtime::Object&, const void*) {}, [](void*) {}, &fingerprint_of_memory, nullptr, true,
    &fingerprint_from_words};

}  // namespace

std::uint64_t fingerprint_of_bytes(const void* bytes, std::size_t size) {
  std::uint64_t fingerprint = 0;
  for (std::size_t done = 0; done < size || done == 0; done += sizeof fingerprint) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char*>(bytes) + done, std::min(sizeof word, size - done));
    fingerprint = done == 0 ? word : runtime::mix(fingerprint, word);
  }
  return fingerprint;
}

constinit Cells* all_cells = nullptr;

void make_cells() {
  all_cells = new Cells;
}

Cell::Cell(std::uintptr_t the_address, std::uint32_t the_size, bool the_is_own, Cell* the_next)
    : Var(kMemoryKind, runtime::FoundAt{0}),
      address(the_address),
      size(the_size),
      is_own(the_is_own),
      next(the_next) {
  shadow.execution = life;
}

void Cell::find_key() {
  if (key == 0) key = runtime::mix(key_of(address), size);
}

void Cells::begin() {
  first_.clear();
  made_.clear();
}

Cell& Cells::find_slowly(std::uintptr_t address, std::uint32_t size, Cell* first) {
  for (Cell* cell = first; cell != nullptr; cell = cell->next) {
    if (cell->address == address && cell->size == size) return *cell;
  }
  const runtime::OwnMemory own;
  ++execution.first_touches;
  Cell& made = made_.make(address, size, is_of_hocket(address, size), first);
  for (Cell* cell = first; cell != nullptr; cell = cell->next) {
    if (cell->address < address + size && address < cell->address + cell->size) {
      cell->overlaps = true;
      made.overlaps = true;
    }
  }
  first_.insert(address / kGranule) = &made;
  if (execution.recording && !made.is_own) execution.name(made, name_of(kVariable, address));
  return made;
}

bool Cells::is_still_own(Cell& cell) {
  if (is_of_hocket(cell.address, cell.size)) return true;
  cell.is_own = false;
  return false;
}

void Cells::check_others(Cell& cell, runtime::VarAccess access) {
  const std::uintptr_t end = cell.address + cell.size;
  Cell* other = cells().first_of(cell.address / kGranule);
  for (; other != nullptr; other = other->next) {
    if (other == &cell || other->address >= end || cell.address >= other->address + other->size) continue;
    execution.check_against(*other, access);
  }
}

}  // namespace hocket::unmodified
