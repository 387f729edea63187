// Readable names for blocks that the program allocated before the search. A block is named after the variable
// that led to it when the search began: "block 2 of table".
#pragma once

#include <cstdint>
#include <string>

namespace hocket::unmodified {

/// The name of the block of the outer heap that begins at the address; empty if no variable leads to it. It
/// is the same in every process in which the program has reached the same state. Once in a search, this walks
/// through everything that the program has allocated.
std::string name_of_outer_block(std::uintptr_t block);

/// Discards the names. Called when a search begins.
void forget_outer_names();

}  // namespace hocket::unmodified
