// The blocks of the outer heap as the running execution sees them. The execution may free them; in the next
// one they are in use again.
#pragma once

#include <cstdint>
#include <deque>

#include "address_map.hpp"
#include "heap.hpp"
#include "outer_heap.hpp"

namespace hocket::unmodified {

class OuterBlocks {
 public:
  /// Marks all freed blocks as in use again. Called at the beginning of an execution.
  void begin();

  /// The block that begins at the address, whether it is in use or was freed by this execution, or nullptr.
  /// Valid until the execution ends.
  Heap::Block* at(std::uintptr_t address);
  /// The block that contains the address or ends shortly before it.
  Heap::Block* around(std::uintptr_t address) { return at(outer_heap().find(address).address); }

 private:
  std::deque<Heap::Block> known_;  ///< those that have been requested
  AddressMap<Heap::Block*> by_address_;
};

/// The outer heap's blocks for the running execution.
OuterBlocks& outer_blocks();

}  // namespace hocket::unmodified
