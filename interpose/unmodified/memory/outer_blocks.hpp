// The blocks of the outer heap as the running execution sees them. It may free them; they live again in the
// next one.
#pragma once

#include <cstdint>
#include <deque>

#include "address_map.hpp"
#include "heap.hpp"
#include "outer_heap.hpp"

namespace hocket::unmodified {

class OuterBlocks {
 public:
  /// All that were freed live again; at the beginning of an execution.
  void begin();

  /// The block that begins there, in use or freed by this execution, or nullptr. Valid until the execution
  /// ends.
  Heap::Block* at(std::uintptr_t address);
  /// The one in which the address lies, or close behind which.
  Heap::Block* around(std::uintptr_t address) { return at(outer_heap().find(address).address); }

 private:
  std::deque<Heap::Block> known_;  ///< those that somebody asked for
  AddressMap<Heap::Block*> by_address_;
};

/// The blocks that the running execution knows of.
OuterBlocks& outer_blocks();

}  // namespace hocket::unmodified
