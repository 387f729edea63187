#include "operation.hpp"

#include <array>
#include <cstddef>

#include "failure.hpp"

namespace hocket::runtime {

namespace {

constexpr std::array<std::string_view, kOperations> kOperationNames{
    "none",
    "atomic.load",
    "atomic.store",
    "atomic.exchange",
    "atomic.fetch_add",
    "atomic.fetch_sub",
    "atomic.fetch_and",
    "atomic.fetch_or",
    "atomic.fetch_xor",
    "atomic.compare_exchange",
    "atomic.wait",
    "atomic.notify_one",
    "atomic.notify_all",
    "mutex.lock",
    "mutex.try_lock",
    "mutex.try_lock_for",
    "mutex.unlock",
    "mutex.lock_shared",
    "mutex.try_lock_shared",
    "mutex.try_lock_shared_for",
    "mutex.unlock_shared",
    "condition.wait",
    "condition.reacquire",
    "condition.notify_one",
    "condition.notify_all",
    "semaphore.acquire",
    "semaphore.try_acquire",
    "semaphore.try_acquire_for",
    "semaphore.release",
    "clock.now",
    "thread.yield",
    "thread.sleep",
    "choose",
    "destroy",
    "process.exit",
    "memory.read",
    "memory.write",
    "annotation.happens_before",
    "annotation.happens_after",
    "semaphore.value",
    "poll.to_end",
    "model.step",
    "thread.late_sleep",
    "futex.wake",
    "futex.requeue",
    "futex.wake_op",
};
static_assert(!kOperationNames.back().empty());

constexpr std::array<std::string_view, 20> kFailureNames{
    "check",
    "assertion",
    "exception",
    "deadlock",
    "step limit",
    "livelock",
    "spin without yield",
    "misuse",
    "use after destruction",
    "joinable thread destroyed",
    "atomicity violation",
    "data race",
    "heap error",
    "use after return",
    "leak",
    "terminate",
    "signal",
    "stack overflow",
    "exit",
    "stuck",
};
static_assert(kFailureNames.size() == static_cast<std::size_t>(FailureKind::stuck) + 1);

}  // namespace

std::string_view to_string(Operation operation) {
  return kOperationNames[static_cast<std::size_t>(operation)];
}

Operation operation_from_string(std::string_view name) {
  for (std::size_t n = 1; n < kOperationNames.size(); ++n) {
    if (kOperationNames[n] == name) return static_cast<Operation>(n);
  }
  return Operation::none;
}

std::string_view to_string(FailureKind kind) {
  return kFailureNames[static_cast<std::size_t>(kind)];
}

bool from_string(std::string_view name, FailureKind& kind) {
  for (std::size_t n = 0; n < kFailureNames.size(); ++n) {
    if (kFailureNames[n] != name) continue;
    kind = static_cast<FailureKind>(n);
    return true;
  }
  return false;
}

}  // namespace hocket::runtime
