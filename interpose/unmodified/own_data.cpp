#include <hocket/interpose/unmodified/own_data.hpp>

// Set by the linker, which marks the ends of sections whose names are identifiers.
extern "C" {
[[gnu::weak]] extern char __start_hocket_data;
[[gnu::weak]] extern char __stop_hocket_data;
[[gnu::weak]] extern char __start_hocket_bss;
[[gnu::weak]] extern char __stop_hocket_bss;
}

namespace hocket::unmodified {

std::array<AddressRange, 2> own_data() {
  const auto range = [](const char& begin, const char& end) {
    return AddressRange{reinterpret_cast<std::uintptr_t>(&begin), reinterpret_cast<std::uintptr_t>(&end)};
  };
  return {range(__start_hocket_data, __stop_hocket_data), range(__start_hocket_bss, __stop_hocket_bss)};
}

}  // namespace hocket::unmodified
