// The futex system call, which std::future uses and which programs may also call themselves. In instrumented
// code, libstdc++'s std::atomic::wait, std::latch, std::barrier and std::counting_semaphore do not use it:
// see libstdcxx/standard_waits.cpp.
//
// A futex is an atomic that threads wait for, so its model is that of the memory it occupies. A thread that
// is woken and finds the value unchanged continues to wait. Correct programs do the same anyway, because the
// system may wake them spuriously.
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../hooks/memory_atomic.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../libc/mapped_memory.hpp"
#include "../libc/time.hpp"
#include "../memory/watched_pages.hpp"

namespace hocket::unmodified {

namespace {

using runtime::describe;

using runtime::execution;

using runtime::run;
using runtime::Where;

Cell& cell_of(const std::uint32_t* word) {
  return atomic_cell(reinterpret_cast<std::uintptr_t>(word), sizeof *word);
}

/// `time`: if `is_absolute`, the time on `clock` at which the wait expires, otherwise the duration of the
/// wait; nullptr for no limit.
long wait(std::uint32_t* word, std::uint32_t value, const timespec* time, bool is_absolute, clockid_t clock) {
  std::int64_t limit = runtime::Blocking::kForever;
  if (time != nullptr) {
    if (!is_valid(time)) return fail_with(EINVAL);
    limit = is_absolute ? nanoseconds_until(clock, *time) : nanoseconds(*time);
  }
  using Futex = MemoryAtomic<std::uint32_t>;
  const Futex futex(word);
  struct Context {
    const Futex* futex;
    std::uint32_t value;
    unsigned looks;
  } context{&futex, value, 0};
  bool expired = false;
  const bool goes_on = execution.blocking.atomic_wait(
      futex.object(),
      [](const void* argument) {
        auto& c = *static_cast<Context*>(const_cast<void*>(argument));
        ++c.looks;
        return c.futex->newest() == c.value;
      },
      &context, std::memory_order_relaxed, limit, expired, Where{});
  if (!goes_on) return 0;
  if (expired) return fail_with(ETIMEDOUT);
  return context.looks == 1 ? fail_with(EAGAIN) : 0;
}

long wake(std::uint32_t* word, std::uint32_t count) {
  Cell& cell = cell_of(word);
  const TouchesShared shared(cell);
  // A count between one and all wakes the threads one after the other. Returns 0 and not the number of woken
  // threads, because no caller uses it.
  if (count >= INT_MAX) {
    execution.blocking.atomic_notify(cell, true, Where{});
  } else {
    for (std::uint32_t n = 0; n < count; ++n) execution.blocking.atomic_notify(cell, false, Where{});
  }
  return 0;
}

long futex(std::uint32_t* word, int operation, std::uint32_t value, const timespec* time) {
  const clockid_t clock = (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      return wait(word, value, time, false, clock);
    case FUTEX_WAIT_BITSET:
      return wait(word, value, time, true, clock);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      return wake(word, value);
    default:
      break;
  }
  const runtime::OwnMemory own;
  execution.verdict.fail(runtime::FailureKind::misuse,
      describe(*run.current) + " makes a futex system call of a kind that Hocket does not " +
          "control (operation " + std::to_string(operation & FUTEX_CMD_MASK) +
          "): only wait and wake are supported",
      Where{});
  return fail_with(ENOSYS);
}

/// The kernel sees only one thread, but programs use thread ids to distinguish their own.
pid_t id_of_current_thread() {
  return getpid() + static_cast<pid_t>(run.current->index);
}

/// After a call of the system has failed with EFAULT: makes what the arguments may point to writable. Returns
/// whether there was something that was not.
bool were_read_only(std::span<const long> arguments) {
  constexpr std::size_t kMost = std::size_t{1} << 20U;  // how much the call writes is not known
  bool has_changed = false;
  for (const long argument : arguments)
    has_changed |= WatchedPages::will_be_written(reinterpret_cast<void*>(argument), kMost);
  return has_changed;
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  if (is_from_body()) {
    HOCKET_CALLED_FROM_BODY();
    if (number == SYS_futex) {
      return futex(reinterpret_cast<std::uint32_t*>(arguments[0]), static_cast<int>(arguments[1]),
          static_cast<std::uint32_t>(arguments[2]), reinterpret_cast<const timespec*>(arguments[3]));
    }
    if (number == SYS_gettid) return id_of_current_thread();
    if (number == SYS_mmap) {
      const std::optional<void*> memory = map_for_body({static_cast<std::size_t>(arguments[1]),
          static_cast<int>(arguments[2]), static_cast<int>(arguments[3])});
      if (memory) return reinterpret_cast<long>(*memory);
    }
    if (number == SYS_munmap) {
      const std::optional<int> result =
          unmap_for_body(reinterpret_cast<void*>(arguments[0]), static_cast<std::size_t>(arguments[1]));
      if (result) return *result;
    }
  }
  const auto call = [&] {
    return HOCKET_REAL(syscall)(
        number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  };
  const long result = call();
  return result == -1 && errno == EFAULT && were_read_only(arguments) ? call() : result;
}

pid_t gettid() noexcept {
  return is_from_body() ? id_of_current_thread() : HOCKET_REAL(gettid)();
}

}  // extern "C"
