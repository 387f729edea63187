// The entry points of GCC's and Clang's instrumentation for plain reads and writes.
//
// Plain accesses are not steps unless that is requested. They are checked for data races and for misuse of
// heap blocks and stack memory.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/platform/stack_pointer.hpp"
#include "../host/call_origin.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../memory/heap.hpp"
#include "../shadow/cells.hpp"
#include "plain_steps.hpp"
#include "polling.hpp"
#include "volatile_atomics.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;

using runtime::run;
using runtime::VarAccess;
using runtime::Where;

/// Whether the memory is not on the stack of the current thread, which is compared separately. What is close
/// above the stack pointer counts as the stack, because programs use no memory right beyond the end of one.
[[gnu::always_inline]] inline bool is_elsewhere(std::uintptr_t at) {
  constexpr std::uintptr_t kNear = std::uintptr_t{64} << 10U;
  return at - runtime::platform::stack_pointer() > kNear;
}

/// Accesses bytes of one granule.
[[gnu::always_inline]] inline void access_cell(std::uintptr_t at, std::uint32_t size, VarAccess access) {
  Cell& cell = cells().find(at, size);
  if ((cell.flags & (Cell::kOwnedByHocket | Cell::kIsBenign)) != 0) [[unlikely]] {
    if (access == VarAccess::write && is_elsewhere(at)) run.current->instrumented.note_untold_change();
    if (cell.has(Cell::kIsBenign) && HeapSpace::contains(at)) cells().use(at);
    if (cell.has(Cell::kIsBenign) || Cells::is_still_own(cell)) return;
  }
  runtime::step::access(cell, access, Where{});
  if (cell.has(Cell::kOverlaps)) [[unlikely]]
    Cells::check_others(cell, access);
}

[[gnu::noinline]] void access_granules(std::uintptr_t at, std::size_t size, VarAccess access) {
  while (size != 0) {
    const std::size_t left = Cells::kGranule - at % Cells::kGranule;
    const std::size_t part = size < left ? size : left;
    access_cell(at, static_cast<std::uint32_t>(part), access);
    at += part;
    size -= part;
  }
}

/// Whether the program asked not to report data races for such accesses by the current thread.
[[gnu::always_inline]] inline bool is_ignored(VarAccess access) {
  const runtime::Thread& self = *run.current;
  return (access == VarAccess::write ? self.ignores_writes : self.ignores_reads) != 0;
}

/// Whether the memory is not on a stack, or is known to be in use there.
[[gnu::always_inline]] inline bool is_on_no_dead_stack(std::uintptr_t at, std::uintptr_t stack_pointer) {
  return !StackSpace::contains(at) || Stacks::is_in_use(at, stack_pointer);
}

[[gnu::always_inline]] inline void check_access(
    std::uintptr_t at, std::size_t size, VarAccess access, bool is_alone, std::uintptr_t stack_pointer) {
  const char* const does = access == VarAccess::write ? "writes" : "reads";
  if (HeapSpace::contains(at)) heap().check(at, size, does);
  if (!is_on_no_dead_stack(at, stack_pointer)) [[unlikely]]
    Stacks::check(at, stack_pointer, does);
  if (is_alone) return;
  if (is_ignored(access)) [[unlikely]] {
    if (HeapSpace::contains(at)) cells().use(at);
    return;
  }
  if (at % Cells::kGranule + size <= Cells::kGranule) [[likely]] {
    access_cell(at, static_cast<std::uint32_t>(size), access);
  } else {
    access_granules(at, size, access);
  }
}

[[gnu::always_inline]] inline std::uint64_t value_at(std::uintptr_t at, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(at), size);
  return value;
}

/// For polling loops (polling.hpp): records the value that the thread finds in memory, which code without
/// hooks may have changed. The thread's own changes to its registers and stack are compared separately.
[[gnu::always_inline]] inline void note_value(std::uintptr_t at, std::size_t size) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
  if (size > sizeof(std::uint64_t)) return;
  std::uint64_t& values = run.current->instrumented.values_found;
  values = (values + value_at(at, size)) * kOdd;
}

/// For polling loops (polling.hpp): keeps what is there before the write.
[[gnu::always_inline]] inline void note_write(std::uintptr_t at, std::size_t size) {
  if (!is_elsewhere(at)) return;
  runtime::Thread& self = *run.current;
  runtime::LatestWrites& writes = self.instrumented.latest_writes;
  const unsigned n = writes.count++;
  if (n < runtime::LatestWrites::kKept && size <= sizeof(std::uint64_t)) {
    writes.kept[n] = {at, value_at(at, size), size};
  } else if (n < runtime::LatestWrites::kKept) {
    writes.kept[n].size = 0;  // too large, and so none is kept from here on
    writes.count = runtime::LatestWrites::kKept + 1;
  }
}

[[gnu::noinline]] void access_with_all_checks(
    std::uintptr_t at, std::size_t size, VarAccess access, const void* caller, std::uintptr_t stack_pointer) {
  run.current->instrumented.caller = caller;
  // Everything a body does before it creates a second thread is ordered before the actions of all other
  // threads.
  const bool is_alone = execution.thread_count() == 1;
  if (run.options.plain_steps && !is_alone) [[unlikely]]
    make_step_of_access(at, size, access);
  check_access(at, size, access, is_alone, stack_pointer);
  if (access == VarAccess::read) {
    note_value(at, size);
  } else {
    note_write(at, size);
    // Other threads may write there at any time, and nothing would say so.
    if (!execution.races.reports_races() && is_elsewhere(at)) run.current->instrumented.note_untold_change();
  }
}

/// Its frame is as small as can be, because that is what it leaves behind.
[[gnu::noinline]] void access_slowly(
    std::uintptr_t at, std::size_t size, VarAccess access, const void* caller, std::uintptr_t stack_pointer) {
  access_with_all_checks(at, size, access, caller, stack_pointer);
  Look::leave_no_traces();
}

/// The most frequently called function. Its only call is a tail call, so it needs no stack frame.
[[gnu::always_inline]] inline void accessed(const volatile void* address, std::size_t size, VarAccess access,
    const void* caller, std::uintptr_t stack_pointer) {
  if (!is_from_body()) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (run.accesses_are_simple && is_on_no_dead_stack(at, stack_pointer)) [[likely]] {
    // A cell that has been found in this execution lies in memory that is in use.
    Cell* const cell = all_cells->last_found(at);
    if (cell != nullptr && cell->is_known(at, static_cast<std::uint32_t>(size)) && cell->is_simple())
        [[likely]] {
      if (runtime::step::access_in_order(*cell, access, caller)) [[likely]] {
        access == VarAccess::read ? note_value(at, size) : note_write(at, size);
        return;
      }
    }
  }
  access_slowly(at, size, access, caller, stack_pointer);
}

/// A read of a volatile. A loop may do nothing else, and wait for another thread that writes there. So when
/// the thread has made a number of them and no operation in between, each is a step.
[[gnu::always_inline]] inline void volatile_read(
    const volatile void* address, std::size_t size, const void* caller, std::uintptr_t stack_pointer) {
  constexpr std::uint32_t kMany = 10'000;  // as many as loops hardly make that end by themselves
  if (!is_from_body()) return;
  if (run.options.volatile_atomics) [[unlikely]] {
    if (load_volatile(address, size, caller, stack_pointer)) return;
  }
  runtime::Thread& self = *run.current;
  runtime::VolatileReads& reads = self.instrumented.volatile_reads;
  if (reads.next_action != self.next_action) reads = {self.next_action};
  reads.add(reinterpret_cast<std::uintptr_t>(address));
  if (reads.count > kMany && !run.options.plain_steps && !is_ignored(VarAccess::read)) [[unlikely]] {
    self.instrumented.caller = caller;
    self.instrumented.entered_at = stack_pointer;
    make_step_of_look(reinterpret_cast<std::uintptr_t>(address), size);
    reads.next_action = self.next_action;
    reads.count = kMany;
  }
  accessed(address, size, VarAccess::read, caller, stack_pointer);
}

/// A loop that writes them, too, counts.
[[gnu::always_inline]] inline void volatile_write(
    const volatile void* address, std::size_t size, const void* caller, std::uintptr_t stack_pointer) {
  if (!is_from_body()) return;
  if (run.options.volatile_atomics) [[unlikely]] {
    if (store_volatile(address, size, caller, stack_pointer)) return;
  }
  run.current->instrumented.volatile_reads = {};
  accessed(address, size, VarAccess::write, caller, stack_pointer);
}

/// A copy of bytes whose source is read at the moment its target is written.
[[gnu::always_inline]] inline void copied(volatile void* to, const volatile void* from, std::size_t size,
    const void* caller, std::uintptr_t stack_pointer) {
  if (!is_from_body()) return;
  run.current->instrumented.caller = caller;
  const auto target = reinterpret_cast<std::uintptr_t>(to);
  if (is_elsewhere(target)) run.current->instrumented.note_untold_change();
  const auto source = reinterpret_cast<std::uintptr_t>(from);
  const bool is_alone = execution.thread_count() == 1;
  if (run.options.plain_steps && !is_alone) [[unlikely]]
    make_step_of_copy(target, source, size);
  check_access(source, size, VarAccess::read, is_alone, stack_pointer);
  check_access(target, size, VarAccess::write, is_alone, stack_pointer);
}

}  // namespace

void LibraryCall::reads(const volatile void* at, std::size_t size) const {
  if (size != 0) accessed(at, size, VarAccess::read, caller, HOCKET_STACK_POINTER);
}
void LibraryCall::writes(const volatile void* at, std::size_t size) const {
  if (size != 0) accessed(at, size, VarAccess::write, caller, HOCKET_STACK_POINTER);
}
void LibraryCall::copies(volatile void* to, const volatile void* from, std::size_t size) const {
  if (size != 0) copied(to, from, size, caller, HOCKET_STACK_POINTER);
}

}  // namespace hocket::unmodified

using hocket::runtime::VarAccess;
using hocket::unmodified::accessed;
using hocket::unmodified::copied;
using hocket::unmodified::volatile_read;
using hocket::unmodified::volatile_write;

#define HOCKET_CALLER __builtin_return_address(0), HOCKET_STACK_POINTER
#define HOCKET_ACCESSES(prefix, bytes)                    \
  void __tsan_##prefix##read##bytes(const void* at) {     \
    accessed(at, bytes, VarAccess::read, HOCKET_CALLER);  \
  }                                                       \
  void __tsan_##prefix##write##bytes(void* at) {          \
    accessed(at, bytes, VarAccess::write, HOCKET_CALLER); \
  }
#define HOCKET_ACCESSES_OF_ALL_SIZES(prefix) \
  HOCKET_ACCESSES(prefix, 1)                 \
  HOCKET_ACCESSES(prefix, 2)                 \
  HOCKET_ACCESSES(prefix, 4)                 \
  HOCKET_ACCESSES(prefix, 8)                 \
  HOCKET_ACCESSES(prefix, 16)

extern "C" {

HOCKET_ACCESSES_OF_ALL_SIZES()
HOCKET_ACCESSES_OF_ALL_SIZES(unaligned_)
#undef HOCKET_ACCESSES
#define HOCKET_ACCESSES(prefix, bytes)                \
  void __tsan_##prefix##read##bytes(const void* at) { \
    volatile_read(at, bytes, HOCKET_CALLER);          \
  }                                                   \
  void __tsan_##prefix##write##bytes(void* at) {      \
    volatile_write(at, bytes, HOCKET_CALLER);         \
  }
HOCKET_ACCESSES_OF_ALL_SIZES(volatile_)
HOCKET_ACCESSES_OF_ALL_SIZES(unaligned_volatile_)

#define HOCKET_READ_WRITE(prefix, bytes)                  \
  void __tsan_##prefix##read_write##bytes(void* at) {     \
    accessed(at, bytes, VarAccess::write, HOCKET_CALLER); \
  }
HOCKET_READ_WRITE(, 1)
HOCKET_READ_WRITE(, 2)
HOCKET_READ_WRITE(, 4)
HOCKET_READ_WRITE(, 8)
HOCKET_READ_WRITE(, 16)
HOCKET_READ_WRITE(unaligned_, 2)
HOCKET_READ_WRITE(unaligned_, 4)
HOCKET_READ_WRITE(unaligned_, 8)
HOCKET_READ_WRITE(unaligned_, 16)

void __tsan_read_range(const void* at, std::size_t size) {
  accessed(at, size, VarAccess::read, HOCKET_CALLER);
}
void __tsan_write_range(void* at, std::size_t size) {
  accessed(at, size, VarAccess::write, HOCKET_CALLER);
}

void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  copied(to, from, size, HOCKET_CALLER);
  return std::memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  copied(to, from, size, HOCKET_CALLER);
  return std::memmove(to, from, size);
}
void* __tsan_memset(void* to, int byte, std::size_t size) {
  accessed(to, size, VarAccess::write, HOCKET_CALLER);
  return std::memset(to, byte, size);
}

// The vtable pointer, which constructors and destructors write.
void __tsan_vptr_update(void** at, void* value) {
  if (*at != value) accessed(at, sizeof(void*), VarAccess::write, HOCKET_CALLER);
}
void __tsan_vptr_read(void** at) {
  accessed(at, sizeof(void*), VarAccess::read, HOCKET_CALLER);
}

void __tsan_func_entry(void* /*caller*/) {}
void __tsan_func_exit() {}

}  // extern "C"
