// What a block of the heap is, from the functions that allocated it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "process_files.hpp"

namespace hocket::debug_info {

/// What is asked about a block.
struct BlockQuestion {
  std::uint64_t offset = 0;                 ///< of the part that is meant
  std::uint64_t access = 0;                 ///< the size of the part, 0 if it is not known
  std::uint64_t size = 0;                   ///< of the block
  std::vector<std::uint64_t> allocated_by;  ///< instructions, the innermost call first
};

/// "second.hits<tab>std::map node (made at cache.hpp:24)": the part, empty for the whole, and the block.
/// Empty if the place is unknown. The type is known of what containers and smart pointers of the standard
/// library allocate, and where the line of source says "new T".
std::string name_of_block(ProcessFiles& files, const BlockQuestion& question);

}  // namespace hocket::debug_info
