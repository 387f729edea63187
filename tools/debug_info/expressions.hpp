// The expressions by which debug information says where a variable or a saved register is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include <elfutils/libdw.h>

namespace hocket::debug_info {

/// Reads eight bytes of the tested process; nothing if there is no memory.
using ReadWord = std::function<std::optional<std::uint64_t>(std::uint64_t)>;

/// The registers of a frame by their numbers in DWARF, as far as they are known.
using Registers = std::array<std::optional<std::uint64_t>, 17>;

/// What an expression may refer to.
struct Surroundings {
  const Registers* registers = nullptr;
  std::optional<std::uint64_t> cfa;         ///< canonical frame address
  std::optional<std::uint64_t> frame_base;  ///< of the function
  std::uint64_t bias = 0;                   ///< of the addresses in the file
  const ReadWord* read = nullptr;
};

struct Located {
  bool is_address = true;  ///< otherwise `value` is the value itself
  std::uint64_t value = 0;
};

/// The result of an expression; nothing if it refers to something unknown or is of a kind that describes no
/// memory. `attribute` is where it comes from, nullptr for unwinding information.
std::optional<Located> evaluate(
    const Dwarf_Op* operations, std::size_t count, const Surroundings& around, Dwarf_Attribute* attribute);

}  // namespace hocket::debug_info
