#include "debugger.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/operation.hpp"

namespace {

using hocket::runtime::execution;
using hocket::runtime::kOperations;
using hocket::runtime::Operation;
using hocket::runtime::Thread;

/// All words are addresses or offsets in a Thread. The script identifies them by their order.
struct ForGdb {
  const void* os_thread = nullptr;  ///< address of the execution's OS thread, which is 0 while none runs
  const void* count = nullptr;      ///< a 32-bit number
  const void* threads = nullptr;    ///< an array of pointers
  const void* current = nullptr;    ///< a pointer
  std::uintptr_t context = 0;
  std::uintptr_t ordinal = 0;  ///< 32 bits
  std::uintptr_t creator = 0;
  std::uintptr_t state = 0;      ///< 8 bits: fresh, running, stopped, ended
  std::uintptr_t operation = 0;  ///< 8 bits
  std::uintptr_t joins = 0;      ///< a pointer
  std::array<const char*, kOperations> operations{};
};

template <class Member>
std::uintptr_t offset_of(const Thread& thread, const Member& member) {
  return reinterpret_cast<std::uintptr_t>(&member) - reinterpret_cast<std::uintptr_t>(&thread);
}

}  // namespace

extern "C" {

[[gnu::used]] ForGdb hocket_for_gdb;

[[gnu::noinline]] void hocket_gdb_replay_begins() {
  __asm__ volatile("");  // keeps the compiler from removing the call
}

}  // extern "C"

namespace hocket {

void tell_debuggers() {
  ForGdb& it = hocket_for_gdb;
  it.os_thread = &execution.os_thread;
  it.count = execution.address_of_thread_count();
  it.threads = execution.addresses_of_threads();
  it.current = &execution.current;
  static const Thread thread{};
  it.context = offset_of(thread, thread.context);
  it.ordinal = offset_of(thread, thread.ordinal);
  it.creator = offset_of(thread, thread.creator);
  it.state = offset_of(thread, thread.state);
  it.operation = offset_of(thread, thread.pending.operation);
  it.joins = offset_of(thread, thread.joins);
  for (std::size_t n = 0; n < kOperations; ++n)
    it.operations[n] = to_string(static_cast<Operation>(n)).data();
}

}  // namespace hocket
