// Hocket's own data in the program, which is gathered in two sections when the library is linked.
#pragma once

#include <array>
#include <cstdint>

// Defined by the linker, which marks the ends of sections whose names are identifiers.
extern "C" {
[[gnu::weak]] extern char __start_hocket_data;
[[gnu::weak]] extern char __stop_hocket_data;
[[gnu::weak]] extern char __start_hocket_bss;
[[gnu::weak]] extern char __stop_hocket_bss;
}

/// For a variable of Hocket's that is restored before each execution, together with the program's data.
#define HOCKET_DATA_OF_PROGRAM [[gnu::section("hocket_data_of_program")]]

namespace hocket::unmodified {

struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

/// The ranges are empty if the program has no such sections.
inline std::array<AddressRange, 2> own_data() {
  const auto range = [](const char& begin, const char& end) {
    return AddressRange{reinterpret_cast<std::uintptr_t>(&begin), reinterpret_cast<std::uintptr_t>(&end)};
  };
  return {range(__start_hocket_data, __stop_hocket_data), range(__start_hocket_bss, __stop_hocket_bss)};
}

inline bool is_own_data(std::uintptr_t address) {
  const std::array<AddressRange, 2> ranges = own_data();
  return ranges[0].contains(address) || ranges[1].contains(address);
}

}  // namespace hocket::unmodified
