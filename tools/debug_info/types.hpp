// The parts of variables, by their types: which member or element of an object is at an offset.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <elfutils/libdw.h>

namespace hocket::debug_info {

/// The type of a variable or a member, or what a pointer points to; nothing for void.
std::optional<Dwarf_Die> type_of(Dwarf_Die& die);

/// The type without const, volatile, atomic and names by typedef and using.
std::optional<Dwarf_Die> stripped(Dwarf_Die type);

/// The size in bytes; nothing for incomplete types.
std::optional<std::uint64_t> size_of(Dwarf_Die type);

/// The argument of a template with that number, counting types only.
std::optional<Dwarf_Die> template_argument(Dwarf_Die of, unsigned number);

/// A member or base class of a class.
struct Member {
  Dwarf_Die type;
  std::uint64_t offset = 0;
  std::string step;          ///< ".cache"; empty for base classes and members with reserved names
  bool is_reserved = false;  ///< its name belongs to the standard library
};

/// The members and base classes of a class, without static and empty ones.
std::vector<Member> members_of(Dwarf_Die type);

/// Whether it is a class of Hocket that programs do not name.
bool is_of_hockets_inside(Dwarf_Die type);

/// Whether the member of the class is what hocket::atomic or the like is made of, which a reader does not
/// know.
bool is_inside_of_hockets_type(Dwarf_Die& type, const Member& member);

/// The member of that name of the class, of a base class or of a member; the offset is from the beginning of
/// the class.
std::optional<Member> member_named(Dwarf_Die type, const char* name);

inline constexpr std::uint64_t kLargest = ~std::uint64_t{0};

/// How to get from an object of this type to the part at `offset`: ".cache.hits", "[3].lock", or nothing if
/// it is the object. `size` is that of the part, or 0 if it is not known: then the smallest part is meant.
/// kLargest stands for the largest part that begins there.
/// Members with reserved names, which are those of the standard library, are left out. "+4" at the end: four
/// bytes behind the beginning of the part.
std::string path_to(Dwarf_Die type, std::uint64_t offset, std::uint64_t size);

/// What values the part has that the last path led to, as far as a reader cares: its size in bytes, a blank,
/// and "bool", "pointer", "float", "signed", "unsigned" or "enum", which is followed by its enumerators: "4
/// enum idle=0 busy=1". Of hocket::atomic and hocket::var that of the value. Empty for what has other values.
std::string values_at_last_path();

/// Forgets that path.
void forget_last_path();

}  // namespace hocket::debug_info
