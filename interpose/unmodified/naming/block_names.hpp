// Readable names for blocks that a body allocates: what they are and where they were made, if debug
// information tells. Only in recorded executions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../../../runtime/diagnosis/variable_names.hpp"

namespace hocket::unmodified {

/// The body has allocated a block: remembers the calling stack.
void note_block(std::uintptr_t begin);

/// The body frees a block: remembers the calling stack.
void note_free(std::uintptr_t begin);

/// Adds the stacks of the block's allocation and release, as far as they are known, to what explains the
/// failure that is about to be noted.
void explain_by_stacks_of_block(std::uintptr_t begin);

/// "second.hits of std::map node (made at cache.hpp:24)". Blocks that are made at one place are told apart by
/// numbers: "Node (made at stack.hpp:31) #2". Empty if the place is not known.
struct NameInBlock {
  std::string text;
  bool has_type = false;  ///< otherwise it is "byte 8 of block (made at …)"
};
NameInBlock name_in_block(std::uintptr_t begin, std::size_t size, std::size_t offset, runtime::Part part);

/// Called at the beginning of an execution.
void forget_blocks();

}  // namespace hocket::unmodified
