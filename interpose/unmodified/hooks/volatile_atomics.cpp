#include "volatile_atomics.hpp"

#include "../host/call_origin.hpp"
#include "../shadow/hocket_objects.hpp"
#include "memory_atomic.hpp"

namespace hocket::unmodified {

namespace {

/// Calls `access` with a value of the unsigned type of that size. Returns whether there is one.
template <class Access>
bool access_as_number(const volatile void* at, std::size_t size, const void* caller,
    std::uintptr_t stack_pointer, Access access) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (size > sizeof(std::uint64_t) || address % size != 0 || is_of_hocket(address, size)) return false;
  runtime::run.current->instrumented.caller = caller;
  runtime::run.current->instrumented.entered_at = stack_pointer;
  switch (size) {
    case sizeof(std::uint8_t):
      access(std::uint8_t{});
      break;
    case sizeof(std::uint16_t):
      access(std::uint16_t{});
      break;
    case sizeof(std::uint32_t):
      access(std::uint32_t{});
      break;
    default:
      access(std::uint64_t{});
      break;
  }
  return true;
}

}  // namespace

bool load_volatile(
    const volatile void* at, std::size_t size, const void* caller, std::uintptr_t stack_pointer) {
  return access_as_number(at, size, caller, stack_pointer,
      [at](auto number) { load<decltype(number)>(at, static_cast<int>(std::memory_order_acquire)); });
}

bool store_volatile(
    const volatile void* at, std::size_t size, const void* caller, std::uintptr_t stack_pointer) {
  return access_as_number(at, size, caller, stack_pointer, [at](auto number) {
    const MemoryAtomic<decltype(number)> atomic(at);
    atomic.announce_store(std::memory_order_release);
    atomic.check_overlaps(runtime::VarAccess::atomic_write);
  });
}

}  // namespace hocket::unmodified
