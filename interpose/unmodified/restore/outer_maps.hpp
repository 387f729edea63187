// Memory without a file that the program has mapped before the search. Like its globals, it is restored
// before each execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "own_data.hpp"

namespace hocket::unmodified {

/// To be called, outside bodies, when code of the program has mapped such memory, and when it has unmapped
/// some. Usable by any thread.
void note_outer_map(const void* memory, std::size_t size);
void forget_outer_map(const void* memory, std::size_t size);

/// Whether the address lies in such memory.
bool is_in_outer_map(const void* memory);
/// A key that is the same under every schedule; 0 if the address is in no such memory.
std::uint64_t key_in_outer_map(std::uintptr_t address);

/// The parts of it that can be read and written now. What is larger than 256 MiB is left out: it is mapped to
/// be used in parts, and comparing it would take long.
std::vector<AddressRange> writable_outer_maps();

/// To be called before a body changes the protection of memory that is not of its own heap. When the
/// execution is over, what is restored there can be written again.
void note_protection(void* memory, std::size_t size);
void put_protections_back();

}  // namespace hocket::unmodified
