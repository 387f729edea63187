#include <hocket/interpose/unmodified/memory_atomic.hpp>

#include <hocket/interpose/unmodified/place.hpp>
#include <hocket/runtime/allocations.hpp>

namespace hocket::unmodified {

using runtime::execution;

Cell& object_for_new(Cell& cell) {
  if (cell.has(Cell::kOverlaps) && !execution.options().plain_steps) {  // there the words are what they share
    Cell* shared = nullptr;
    cells().for_each_in(cell.address, cell.size, [&](Cell& other) {
      if (other.has(Cell::kIsAtomic) && shared == nullptr) shared = &other;
    });
    if (shared != nullptr) return *shared;
  }
  cell.find_key();
  cell.cares |= Cell::kIsAtomic;
  if (execution.recording) {
    const runtime::OwnMemory own;
    execution.name(cell, name_of("atomic", cell.address));
  }
  return cell;
}

}  // namespace hocket::unmodified
