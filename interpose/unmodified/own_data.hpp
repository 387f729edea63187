// Hocket's own data in the program: gathered in two sections when the library is linked.
#pragma once

#include <array>
#include <cstdint>

namespace hocket::unmodified {

struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

/// Empty ranges where the program has no such sections.
std::array<AddressRange, 2> own_data();

inline bool is_own_data(std::uintptr_t address) {
  for (const AddressRange& range : own_data()) {
    if (range.contains(address)) return true;
  }
  return false;
}

}  // namespace hocket::unmodified
