// How std::atomic, std::latch, std::barrier and std::counting_semaphore wait in instrumented code: the
// functions that the headers of cmake/libstdcxx call.
#include "standard_waits.hpp"

#include <atomic>
#include <climits>
#include <cstdint>
#include <string>

#include <linux/futex.h>
#include <sys/syscall.h>

#include "../../../runtime/diagnosis/trace.hpp"
#include "../../../runtime/execution/locking.hpp"
#include "../hooks/memory_atomic.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../libc/time.hpp"
#include "../shadow/models.hpp"

namespace hocket::unmodified {

int* order_of_load = nullptr;

namespace {

using runtime::describe;

using runtime::Operation;
using runtime::run;
using runtime::Semaphore;
using runtime::Where;

int order_found = 0;  ///< the result of hocket_std_end_order()

/// Calls `run` with a pointer to the atomic's integer.
template <class Run>
void with_word(const volatile void* at, std::size_t bytes, Run run_on) {
  switch (bytes) {
    case 1:
      return run_on(static_cast<const volatile std::uint8_t*>(at));
    case 2:
      return run_on(static_cast<const volatile std::uint16_t*>(at));
    case 4:
      return run_on(static_cast<const volatile std::uint32_t*>(at));
    default:
      return run_on(static_cast<const volatile std::uint64_t*>(at));
  }
}

// -- Outside a body, where threads are OS threads

/// The number of notifications so far.
std::atomic<std::uint32_t> notifications{0};

/// Waits until `is_over()`. Checks it after each notification and also periodically, because code that is not
/// instrumented notifies in another way.
template <class IsOver>
void wait_outside(IsOver is_over) {
  constexpr long kLookAgain = 10'000'000;  // nanoseconds
  for (;;) {
    const std::uint32_t seen = notifications.load();
    if (is_over()) return;
    const timespec time{0, kLookAgain};
    HOCKET_REAL(syscall)(SYS_futex, &notifications, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
  }
}

void notify_outside() {
  notifications.fetch_add(1);
  HOCKET_REAL(syscall)(SYS_futex, &notifications, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// NOLINTNEXTLINE(readability-non-const-parameter): an atomic that is changed
bool try_acquire_outside(int* count) {
  int seen = __atomic_load_n(count, __ATOMIC_ACQUIRE);
  while (seen > 0) {
    if (__atomic_compare_exchange_n(count, &seen, seen - 1, true, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
      return true;
  }
  return false;
}

bool try_acquire_outside_until(int* count, clockid_t clock, std::int64_t end) {
  bool got = false;
  wait_outside([&] {
    timespec now{};
    ::clock_gettime(clock, &now);
    return (got = try_acquire_outside(count)) || nanoseconds(now) >= end;
  });
  return got;
}

// -- In a body

/// Waits while `is_unchanged(value)`. If that does not hold at once, this is a load.
template <class T, class IsUnchanged>
void wait_in_body(const volatile T* at, int order, const IsUnchanged& is_unchanged) {
  const MemoryAtomic<T> atomic(at);
  Look look;
  atomic.prepare();
  runtime::step::note_order(
      &atomic.object(), Operation::atomic_wait, order_of(order), order_of(order), Where{});
  struct Context {
    const T* value;
    const IsUnchanged* is_unchanged;
    bool sleeps = false;
  } context{&atomic.value(), &is_unchanged};
  bool expired = false;
  static_cast<void>(runtime::step::atomic_wait(
      atomic.object(),
      [](const void* argument) {
        auto& c = *static_cast<Context*>(const_cast<void*>(argument));
        const bool sleeps = (*c.is_unchanged)(*c.value);
        c.sleeps |= sleeps;
        return sleeps;
      },
      &context, order_of(order), runtime::kForever, expired, Where{}));
  look.found(atomic.object(), atomic.fingerprint(), !context.sleeps);
  atomic.check_overlaps(runtime::VarAccess::atomic_read);
}

Semaphore& model_of(int* count) {
  return models().semaphores.find(count, [count](auto& pool, runtime::FoundAt place) -> Semaphore& {
    return pool.make(*count, INT_MAX, place);
  });
}

bool try_acquire(Semaphore& model) {
  Look look;
  if (!runtime::step::arrive(model, Operation::semaphore_try_acquire, true, Where{})) return true;
  const bool can = runtime::take_or_fail(model, Operation::semaphore_try_acquire);
  look.found(model, model.kind->fingerprint(model), !can);
  return can;
}

bool try_acquire_for(int* count, std::int64_t nanoseconds) {
  Semaphore& model = model_of(count);
  if (nanoseconds <= 0) return try_acquire(model);
  if (!runtime::step::arrive_timed(model, Operation::semaphore_try_acquire_for, nanoseconds, Where{}))
    return true;
  return runtime::take_or_fail(model, Operation::semaphore_try_acquire_for);
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::Operation;
using hocket::runtime::Semaphore;
using hocket::runtime::Where;

extern "C" {

bool hocket_std_enter(const char* function) {
  return run.recording && is_from_body() && run.trace()->enter(*run.current, function);
}
void hocket_std_leave() noexcept {
  if (run.recording) run.trace()->leave(*run.current);
}

void hocket_std_begin_order() noexcept {
  if (!is_from_body()) return;
  ++run.own_memory;  // so that the load does not count as the body's
  order_found = __ATOMIC_SEQ_CST;
  order_of_load = &order_found;
}
int hocket_std_end_order() noexcept {
  if (order_of_load == nullptr) return __ATOMIC_SEQ_CST;  // outside a body
  --run.own_memory;
  order_of_load = nullptr;
  return order_found;
}

void hocket_std_wait(
    const volatile void* at, std::size_t bytes, unsigned long mask, unsigned long old, int order) {
  const bool is_in_body = is_from_body();
  if (is_in_body) HOCKET_CALLED_FROM_BODY();
  with_word(at, bytes, [&](const auto* word) {
    const auto is_unchanged = [mask, old](auto value) { return (value & mask) == old; };
    if (is_in_body) return wait_in_body(word, order, is_unchanged);
    wait_outside([&] { return !is_unchanged(__atomic_load_n(word, __ATOMIC_SEQ_CST)); });
  });
}
void hocket_std_wait_for_zero(const volatile int* at, int order) {
  const auto* const word = reinterpret_cast<const volatile std::uint32_t*>(at);
  HOCKET_ENTRY_OR(wait_outside([&] { return __atomic_load_n(word, __ATOMIC_SEQ_CST) == 0; }));
  wait_in_body(word, order, [](std::uint32_t value) { return value != 0; });
}
void hocket_std_notify(const volatile void* at, std::size_t bytes, bool all) {
  HOCKET_ENTRY_OR(notify_outside());
  with_word(at, bytes, [&]<class T>(const volatile T*) {
    hocket::runtime::step::atomic_notify(MemoryAtomic<T>(at).object(), all, Where{});
    check_atomic_access(reinterpret_cast<std::uintptr_t>(at), sizeof(T));
  });
}
void hocket_std_notified(const volatile void* at, std::size_t bytes) {
  if (!is_from_body()) return;
  HOCKET_CALLED_FROM_BODY();
  check_atomic_access(reinterpret_cast<std::uintptr_t>(at), bytes);
}
void hocket_std_complete(const volatile void* at, std::size_t bytes) {
  HOCKET_ENTRY_OR(notify_outside());
  with_word(at, bytes, [&]<class T>(const volatile T*) {
    hocket::runtime::step::atomic_notify(MemoryAtomic<T>(at).object(), true, Where{});
  });
}

void hocket_std_semaphore_begin(int* count) noexcept {
  if (is_from_body()) models().semaphores.forget(count);
}
void hocket_std_semaphore_acquire(int* count) {
  HOCKET_ENTRY_OR(wait_outside([&] { return try_acquire_outside(count); }));
  Semaphore& model = model_of(count);
  if (hocket::runtime::arrive_to_take(model, Operation::semaphore_acquire, Where{}))
    hocket::runtime::acquire(model, Operation::semaphore_acquire);
}
bool hocket_std_semaphore_try_acquire(int* count) {
  HOCKET_ENTRY_OR(try_acquire_outside(count));
  return try_acquire(model_of(count));
}
bool hocket_std_semaphore_try_acquire_for(int* count, long nanoseconds) {
  if (!is_from_body()) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return try_acquire_outside_until(
        count, CLOCK_MONOTONIC, hocket::unmodified::nanoseconds(now) + nanoseconds);
  }
  HOCKET_CALLED_FROM_BODY();
  return try_acquire_for(count, nanoseconds);
}
bool hocket_std_semaphore_try_acquire_until(int* count, bool is_steady, long time) {
  constexpr long kSecond = 1'000'000'000;
  const clockid_t clock = is_steady ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  HOCKET_ENTRY_OR(try_acquire_outside_until(count, clock, time));
  return try_acquire_for(count, nanoseconds_until(clock, {time / kSecond, time % kSecond}));
}
void hocket_std_semaphore_release(int* count, long by, long max) {
  if (!is_from_body()) {
    __atomic_fetch_add(count, static_cast<int>(by), __ATOMIC_RELEASE);
    return notify_outside();
  }
  HOCKET_CALLED_FROM_BODY();
  Semaphore& model = model_of(count);
  if (!hocket::runtime::step::arrive(model, Operation::semaphore_release, true, Where{})) return;
  if (by < 0 || by > max - model.state.count) {
    const hocket::runtime::OwnMemory own;
    hocket::runtime::step::fail(hocket::runtime::FailureKind::misuse,
        describe(*run.current) + " releases " + describe(model) +
            (by < 0 ? " by " + std::to_string(by) + "; the number must not be negative"
                    : " beyond its maximum of " + std::to_string(max)),
        Where{});
    return;
  }
  hocket::runtime::release(model, by);
}

void hocket_std_too_many_arrive(const volatile void* at, std::size_t bytes) {
  HOCKET_ENTRY_OR();
  const hocket::runtime::OwnMemory own;
  with_word(at, bytes, [&]<class T>(const volatile T*) {
    hocket::runtime::step::fail(hocket::runtime::FailureKind::misuse,
        describe(*run.current) + " arrives at " + describe(MemoryAtomic<T>(at).object()) +
            ", where all that it expects have arrived",
        Where{});
  });
}

}  // extern "C"
