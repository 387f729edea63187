// System calls that bodies make by their numbers.
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <optional>
#include <span>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../runtime/execution/step.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../memory/watched_pages.hpp"
#include "../pthread/futexes.hpp"
#include "mapped_memory.hpp"

namespace hocket::unmodified {

namespace {

using runtime::run;

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
    if (const std::optional<long> result = futex_call_of_body(number, arguments)) return *result;
    if (number == SYS_gettid) return id_of_current_thread();
    if (number == SYS_mmap) {
      const std::optional<void*> memory = map_for_body({static_cast<std::size_t>(arguments[1]),
          static_cast<int>(arguments[2]), static_cast<int>(arguments[3])});
      if (memory) return reinterpret_cast<long>(*memory);
    }
    if (number == SYS_munmap)
      return munmap(reinterpret_cast<void*>(arguments[0]), static_cast<std::size_t>(arguments[1]));
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
