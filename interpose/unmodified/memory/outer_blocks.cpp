#include "outer_blocks.hpp"

#include "../../../runtime/execution/allocations.hpp"

namespace hocket::unmodified {

OuterBlocks& outer_blocks() {
  static auto* const all = new OuterBlocks;
  return *all;
}

void OuterBlocks::begin() {
  if (known_.empty()) return;
  for (const Heap::Block& block : known_) {
    if (block.is_freed) HeapSpace::mark_used(block.address, block.size);
  }
  known_.clear();
  by_address_.clear();
}

Heap::Block* OuterBlocks::at(std::uintptr_t address) {
  if (Heap::Block** const found = by_address_.find(address); found != nullptr) return *found;
  const OuterHeap::Block block = outer_heap().find(address);
  if (address == 0 || block.address != address) return nullptr;
  const runtime::OwnMemory own;
  known_.push_back({block.address, block.size, false, 0, {}, {}});
  return by_address_.insert(address) = &known_.back();
}

}  // namespace hocket::unmodified
