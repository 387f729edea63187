// Tells AddressSanitizer about fiber switches, when the program was built with it.
//
// The symbols are weak: a program may be instrumented although this library is not, and the other way round.
#pragma once

#include <cstddef>

extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(
    void* fake_stack, const void** old_bottom, std::size_t* old_size);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* address, std::size_t size);
}

namespace hocket::runtime::platform {

/// Whether AddressSanitizer is linked into this program.
inline bool address_sanitizer_is_linked() {
  return &__sanitizer_start_switch_fiber != nullptr;
}

}  // namespace hocket::runtime::platform
