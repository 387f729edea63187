// The futex system call, which std::future uses and which programs may also call themselves. In instrumented
// code, libstdc++'s std::atomic::wait, std::latch, std::barrier and std::counting_semaphore do not use it:
// see libstdcxx/standard_waits.cpp.
//
// A futex is an atomic that threads wait for, so its model is that of the memory it occupies. Whom a call
// wakes, and what it returns, is that of futex(2) and of Linux 6, which says what the page leaves open: of
// FUTEX_WAKE, 0 and less than 0 wake one thread. Of several threads that a call may reach, any may be the
// one: each set of them is an outcome.
#include "futexes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <linux/futex.h>
#include <sys/syscall.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/execution/outside.hpp"
#include "../../../runtime/execution/recording.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../hooks/memory_atomic.hpp"
#include "../host/call_origin.hpp"
#include "../libc/time.hpp"

namespace hocket::unmodified {

namespace {

using runtime::Access;
using runtime::describe;
using runtime::execution;
using runtime::is_sabotaged;
using runtime::Operation;
using runtime::run;
using runtime::Sabotage;
using runtime::ThreadSet;
using runtime::Where;

constexpr std::uint32_t kAllBits = FUTEX_BITSET_MATCH_ANY;

constexpr runtime::ObjectKind kFutexWaitKind{"futex wait",
    [](const runtime::Object&) -> void* { return nullptr; }, [](runtime::Object&, const void*) {},
    [](void*) {}};

/// What a thread that waits for a futex may be reached by.
struct FutexWait {
  runtime::Life life{};  ///< of the execution in which the thread waits; what others are is not known
  std::uint32_t bits = kAllBits;
  bool is_private = false;
  /// What orders the thread and those that wake it, as the system's own lock of the queue does.
  std::optional<runtime::Object> order{};

  /// The running thread begins to wait.
  void begin(std::uint32_t its_bits, bool its_is_private) {
    life = run.life;
    bits = its_bits;
    is_private = its_is_private;
    order.emplace(kFutexWaitKind, runtime::FoundAt{run.current->key});
    put_in_order(runtime::Synchronization::release);
  }
  void put_in_order(runtime::Synchronization what) {
    if (life != run.life || !execution.races.is_looking()) return;
    const runtime::OwnMemory own;
    static_cast<void>(execution.races.races().acted(
        *run.current, *order, what, std::memory_order_seq_cst, run.current->instrumented.caller));
  }
};
constinit std::array<FutexWait, runtime::kMaxThreads> waits{};

/// A call of the system.
struct Futex {
  std::uint32_t* word;
  bool is_private;

  [[nodiscard]] Cell& cell() const {
    return atomic_cell(reinterpret_cast<std::uintptr_t>(word), sizeof *word);
  }
  /// What the system says of the address; 0 if it is one.
  [[nodiscard]] int error(bool is_read) const {
    if (reinterpret_cast<std::uintptr_t>(word) % sizeof *word != 0) return EINVAL;
    return word == nullptr && (is_read || !is_private) ? EFAULT : 0;
  }
  /// The threads that wait there, as far as a call with these bits is meant for them.
  [[nodiscard]] ThreadSet waiters(std::uint32_t bits) const {
    ThreadSet meant;
    execution.blocking.waiters_at(cell()).for_each([&](unsigned t) {
      const FutexWait& wait = waits[t];
      const bool is_std = wait.life != run.life;  // which waits in another way
      if (is_std || (((wait.bits & bits) != 0 || is_sabotaged(Sabotage::bits_of_futexes_are_ignored)) &&
                        wait.is_private == is_private))
        meant.insert(t);
    });
    return meant;
  }
  /// In a step of `operation`: wakes up to `most` of them. Returns their number.
  [[nodiscard]] unsigned wake(std::uint32_t bits, std::uint32_t most, Operation operation) const {
    const ThreadSet woken = execution.blocking.wake_some(cell(), waiters(bits), most, operation, Where{});
    woken.for_each([](unsigned t) {
      waits[t].put_in_order(runtime::Synchronization::acquire);
      waits[t].put_in_order(runtime::Synchronization::release);
    });
    return is_sabotaged(Sabotage::nobody_is_woken_by_a_futex_call) ? 0 : woken.size();
  }
};

/// While it exists, operations of the running thread on one futex, for which there is a TouchesShared, also
/// touch another one.
class TouchesOther {
 public:
  TouchesOther(const Cell& one, Cell& other) : of_other_(other) {
    const runtime::OwnMemory own;
    run.raise_attention(runtime::Attention::to_all);  // otherwise it would not be noticed
    std::vector<runtime::Object*>& touched = run.current->instrumented.parts_touched;
    if (&one != &other) touched.push_back(&other);
    for (std::size_t n = 1; n < touched.size(); ++n) {  // both may lie in one word
      const auto end =
          std::remove(touched.begin() + static_cast<std::ptrdiff_t>(n), touched.end(), touched[n - 1]);
      touched.erase(end, touched.end());
    }
  }
  ~TouchesOther() { run.current->instrumented.parts_touched.clear(); }
  TouchesOther(const TouchesOther&) = delete;
  TouchesOther& operator=(const TouchesOther&) = delete;

 private:
  TouchesShared of_other_;
};

/// FUTEX_WAKE and FUTEX_WAKE_OP wake one thread if they are told to wake none.
std::uint32_t at_least_one(std::uint32_t count) {
  return static_cast<std::uint32_t>(std::max(static_cast<int>(count), 1));
}

/// `time`: if `is_absolute`, the time on `clock` at which the wait expires, otherwise the duration of the
/// wait; nullptr for no limit.
long wait(const Futex& at, std::uint32_t value, const timespec* time, bool is_absolute, clockid_t clock,
    std::uint32_t bits) {
  if (bits == 0) return fail_with(EINVAL);
  if (const int error = at.error(true); error != 0) return fail_with(error);
  std::int64_t limit = runtime::kForever;
  if (time != nullptr) limit = is_absolute ? nanoseconds_until(clock, *time) : nanoseconds(*time);
  using Word = MemoryAtomic<std::uint32_t>;
  const Word word(at.word);
  Look look;
  struct Context {
    const Word& word;
    std::uint32_t value;
    FutexWait& wait;
    std::uint32_t bits;
    bool is_private;
    bool has_waited = false;
  } context{word, value, waits[run.current->index], bits, at.is_private};
  bool expired = false;
  const bool goes_on = runtime::step::atomic_wait(
      word.object(),
      [](const void* argument) {
        auto& c = *static_cast<Context*>(const_cast<void*>(argument));
        const bool returns = c.has_waited && !is_sabotaged(Sabotage::woken_threads_look_again);
        if (returns || c.word.newest() != c.value) return false;
        c.has_waited = true;
        c.wait.begin(c.bits, c.is_private);
        return true;
      },
      &context, std::memory_order_relaxed, limit, expired, Where{});
  if (!goes_on) return 0;
  look.found(word.object(), word.fingerprint(), !context.has_waited);
  if (!expired && context.has_waited) context.wait.put_in_order(runtime::Synchronization::acquire);
  context.wait.life = {};
  if (expired) return fail_with(ETIMEDOUT);
  return context.has_waited ? 0 : fail_with(EAGAIN);
}

long wake(const Futex& at, std::uint32_t count, std::uint32_t bits) {
  if (bits == 0) return fail_with(EINVAL);
  if (const int error = at.error(false); error != 0) return fail_with(error);
  Cell& cell = at.cell();
  const TouchesShared shared(cell);
  if (!runtime::step::arrive(cell, Operation::futex_wake, true, Where{})) return 0;
  runtime::step::act(cell, Operation::futex_wake, Access::write);
  return at.wake(bits, at_least_one(count), Operation::futex_wake);
}

/// `expected`: the value that the first futex must have, or nullptr.
long requeue(const Futex& from, const Futex& to, std::uint32_t wakes, std::uint32_t moves,
    const std::uint32_t* expected) {
  if (static_cast<int>(wakes) < 0 || static_cast<int>(moves) < 0) return fail_with(EINVAL);
  for (const int error : {from.error(expected != nullptr), to.error(false)}) {
    if (error != 0) return fail_with(error);
  }
  Cell& cell = from.cell();
  const MemoryAtomic<std::uint32_t> word(from.word);
  const TouchesOther both(cell, to.cell());
  if (!runtime::step::arrive(cell, Operation::futex_requeue, true, Where{})) return 0;
  runtime::step::act(cell, Operation::futex_requeue, Access::write);
  if (expected != nullptr && word.newest() != *expected) return fail_with(EAGAIN);
  const unsigned woken = wakes == 0 ? 0 : from.wake(kAllBits, wakes, Operation::futex_requeue);
  const ThreadSet moved =
      execution.blocking.choose_waiters(from.waiters(kAllBits), moves, Operation::futex_requeue, Where{});
  if (run.ending) return 0;
  moved.for_each([&](unsigned t) {
    runtime::Thread& waiter = execution.thread(t);
    if (is_sabotaged(Sabotage::requeued_threads_are_woken)) return runtime::wake_at_atomic(waiter);
    runtime::Blocking::move(waiter, to.cell());
  });
  return woken + moved.size();
}

/// The change of a word and the comparison that the last argument of FUTEX_WAKE_OP stands for.
struct WakeOp {
  unsigned change;
  unsigned comparison;
  std::int32_t by;
  std::int32_t with;

  explicit WakeOp(std::uint32_t packed)
      : change(packed >> 28U & 7U),
        comparison(packed >> 24U & 15U),
        by(signed_field(packed >> 12U)),
        with(signed_field(packed)) {
    constexpr std::uint32_t kMostShift = 31;
    if ((packed >> 28U & FUTEX_OP_OPARG_SHIFT) != 0)
      by = static_cast<std::int32_t>(1U << (static_cast<std::uint32_t>(by) & kMostShift));
  }
  [[nodiscard]] bool is_known_change() const { return change <= FUTEX_OP_XOR; }
  [[nodiscard]] bool is_known_comparison() const { return comparison <= FUTEX_OP_CMP_GE; }

  [[nodiscard]] std::uint32_t changed(std::uint32_t old) const {
    const auto operand = static_cast<std::uint32_t>(by);
    switch (change) {
      case FUTEX_OP_SET:
        return operand;
      case FUTEX_OP_ADD:
        return old + operand;
      case FUTEX_OP_OR:
        return old | operand;
      case FUTEX_OP_ANDN:
        return old & ~operand;
      default:
        return old ^ operand;
    }
  }
  [[nodiscard]] bool holds(std::uint32_t value) const {
    const auto old = static_cast<std::int32_t>(value);
    switch (comparison) {
      case FUTEX_OP_CMP_EQ:
        return old == with;
      case FUTEX_OP_CMP_NE:
        return old != with;
      case FUTEX_OP_CMP_LT:
        return old < with;
      case FUTEX_OP_CMP_LE:
        return old <= with;
      case FUTEX_OP_CMP_GT:
        return old > with;
      default:
        return old >= with;
    }
  }

 private:
  /// The lowest twelve bits, of which the first is the sign.
  static std::int32_t signed_field(std::uint32_t bits) {
    constexpr std::uint32_t kSign = 0x800;
    return static_cast<std::int32_t>(((bits & 0xfffU) ^ kSign) - kSign);
  }
};

long wake_op(const Futex& first, const Futex& second, std::uint32_t wakes, std::uint32_t wakes_at_second,
    const WakeOp& does) {
  for (const int error : {first.error(false), second.error(true)}) {
    if (error != 0) return fail_with(error);
  }
  if (!does.is_known_change()) return fail_with(ENOSYS);
  const MemoryAtomic<std::uint32_t> word(second.word);
  const TouchesOther both(second.cell(), first.cell());
  const std::uint32_t before = word.update(
      Operation::futex_wake_op, [&](std::uint32_t old) { return does.changed(old); },
      std::memory_order_seq_cst, Where{});
  if (run.ending) return 0;
  word.check_overlaps(runtime::VarAccess::atomic_write);
  if (!does.is_known_comparison()) return fail_with(ENOSYS);  // and the word has changed
  long woken = first.wake(kAllBits, at_least_one(wakes), Operation::futex_wake_op);
  if (!run.ending && does.holds(before))
    woken += second.wake(kAllBits, at_least_one(wakes_at_second), Operation::futex_wake_op);
  return woken;
}

void refuse_futex(const std::string& call) {
  const runtime::OwnMemory own;
  runtime::step::fail(runtime::FailureKind::misuse,
      describe(*run.current) + " makes a system call " + call +
          ", which Hocket does not control; FUTEX_WAIT, FUTEX_WAKE, both with _BITSET, FUTEX_REQUEUE, "
          "FUTEX_CMP_REQUEUE and FUTEX_WAKE_OP are controlled",
      Where{});
}

/// The name of an operation of the call futex that passes priorities on; nullptr of any other.
const char* name_of_refused(int operation) {
  constexpr int kLockPi2 = 13;  // of Linux 5.14, which headers may not have
  switch (operation) {
    case FUTEX_LOCK_PI:
      return "FUTEX_LOCK_PI";
    case kLockPi2:
      return "FUTEX_LOCK_PI2";
    case FUTEX_UNLOCK_PI:
      return "FUTEX_UNLOCK_PI";
    case FUTEX_TRYLOCK_PI:
      return "FUTEX_TRYLOCK_PI";
    case FUTEX_WAIT_REQUEUE_PI:
      return "FUTEX_WAIT_REQUEUE_PI";
    case FUTEX_CMP_REQUEUE_PI:
      return "FUTEX_CMP_REQUEUE_PI";
    default:
      return nullptr;
  }
}

long futex(const long (&arguments)[6]) {
  const auto flags = static_cast<int>(arguments[1]);
  const int operation = flags & FUTEX_CMD_MASK;
  if (const char* const refused = name_of_refused(operation); refused != nullptr) {
    refuse_futex(refused);
    return fail_with(ENOSYS);
  }
  const bool is_private = (flags & FUTEX_PRIVATE_FLAG) != 0;
  const Futex first{reinterpret_cast<std::uint32_t*>(arguments[0]), is_private};
  const Futex second{reinterpret_cast<std::uint32_t*>(arguments[4]), is_private};
  const auto value = static_cast<std::uint32_t>(arguments[2]);
  const auto second_value = static_cast<std::uint32_t>(arguments[3]);
  const auto third_value = static_cast<std::uint32_t>(arguments[5]);
  const bool is_wait = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
  const auto* const time = is_wait ? reinterpret_cast<const timespec*>(arguments[3]) : nullptr;
  if (time != nullptr && !is_valid(time)) return fail_with(EINVAL);
  const bool is_real_time = (flags & FUTEX_CLOCK_REALTIME) != 0;
  if (is_real_time && operation != FUTEX_WAIT_BITSET) return fail_with(ENOSYS);
  const clockid_t clock = is_real_time ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  switch (operation) {
    case FUTEX_WAIT:
      return wait(first, value, time, false, clock, kAllBits);
    case FUTEX_WAIT_BITSET:
      return wait(first, value, time, true, clock, third_value);
    case FUTEX_WAKE:
      return wake(first, value, kAllBits);
    case FUTEX_WAKE_BITSET:
      return wake(first, value, third_value);
    case FUTEX_REQUEUE:
      return requeue(first, second, value, second_value, nullptr);
    case FUTEX_CMP_REQUEUE:
      return requeue(first, second, value, second_value, &third_value);
    case FUTEX_WAKE_OP:
      return wake_op(first, second, value, second_value, WakeOp(third_value));
    default:
      return fail_with(ENOSYS);  // no operation of the system's
  }
}

/// The name of a newer system call for futexes; nullptr of any other.
const char* name_of_newer_futex_call(long number) {
  constexpr long kWaitv = 449;
  constexpr long kWake = 454;
  constexpr long kWait = 455;
  constexpr long kRequeue = 456;
  switch (number) {
    case kWaitv:
      return "futex_waitv";
    case kWake:
      return "futex_wake";
    case kWait:
      return "futex_wait";
    case kRequeue:
      return "futex_requeue";
    default:
      return nullptr;
  }
}

}  // namespace

std::optional<long> futex_call_of_body(long number, const long (&arguments)[6]) {
  if (number == SYS_futex) return futex(arguments);
  const char* const refused = name_of_newer_futex_call(number);
  if (refused == nullptr) return std::nullopt;
  refuse_futex(refused);
  return fail_with(ENOSYS);
}

}  // namespace hocket::unmodified
