#include <hocket/interpose/unmodified/memory_atomic.hpp>

#include <hocket/interpose/unmodified/place.hpp>
#include <hocket/runtime/allocations.hpp>

namespace hocket::unmodified {

using runtime::execution;

Cell& object_for_new(Cell& cell) {
  if (cell.overlaps && !execution.options().plain_steps) {  // there the words are what they share
    for (Cell* other = cell.next; other != nullptr; other = other->next) {
      const bool is_shared = other->has_been_atomic && other->address < cell.address + cell.size &&
                             cell.address < other->address + other->size;
      if (is_shared) return *other;
    }
  }
  cell.find_key();
  cell.has_been_atomic = true;
  if (execution.recording) {
    const runtime::OwnMemory own;
    execution.name(cell, name_of("atomic", cell.address));
  }
  return cell;
}

}  // namespace hocket::unmodified
