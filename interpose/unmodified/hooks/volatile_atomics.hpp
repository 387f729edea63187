// Accesses to volatile variables as atomic ones. Code that is older than C++11 communicates through them, on
// processors and compilers that it knows. This is optional: for C++ they are plain accesses, which race.
//
// A read acquires and a write releases, as Microsoft's compilers define it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hocket::unmodified {

/// To be called before the instruction that reads the volatile. Returns whether it is a step: those that no
/// single instruction reads are none, since they are too large or not aligned.
bool load_volatile(
    const volatile void* at, std::size_t size, const void* caller, std::uintptr_t stack_pointer);
/// The same before it is written.
bool store_volatile(
    const volatile void* at, std::size_t size, const void* caller, std::uintptr_t stack_pointer);

}  // namespace hocket::unmodified
