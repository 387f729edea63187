// The parts of variables, by their types: which member or element of an object is at an offset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <elfutils/libdw.h>

namespace hocket::debug_info {

/// The type of a variable or a member, or what a pointer points to; nothing for void.
std::optional<Dwarf_Die> type_of(Dwarf_Die& die);

/// The type without const, volatile, atomic and names by typedef and using.
std::optional<Dwarf_Die> stripped(Dwarf_Die type);

/// The size in bytes; nothing for incomplete types.
std::optional<std::uint64_t> size_of(Dwarf_Die type);

/// How to get from an object of this type to the part at `offset`: ".cache.hits", "[3].lock", or nothing if
/// it is the object. `size` is that of the part, or 0 if it is not known: then the smallest part is meant.
/// Members with reserved names, which are those of the standard library, are left out. "+4" at the end: four
/// bytes behind the beginning of the part.
std::string path_to(Dwarf_Die type, std::uint64_t offset, std::uint64_t size);

}  // namespace hocket::debug_info
