// What a person would call a block that the program had allocated before the search: by the variable that led
// to it when the search began, "block 2 of table".
#pragma once

#include <cstdint>
#include <string>

namespace hocket::unmodified {

/// The name of a block of the outer heap, which begins at the address; empty if no variable leads to it. The
/// same in every process in which the program has come to the same. Takes a walk through all that the program
/// has allocated, once in a search.
std::string name_of_outer_block(std::uintptr_t block);

/// Discards what is known of which block points to which. To be called when a search begins.
void forget_outer_names();

}  // namespace hocket::unmodified
