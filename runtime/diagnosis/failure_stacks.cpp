#include "failure_stacks.hpp"

#include <cstddef>
#include <string>

#include "../execution/cold_state.hpp"
#include "../execution/execution.hpp"
#include "../platform/symbols/call_site.hpp"
#include "held_locks.hpp"
#include "trace.hpp"

namespace hocket::runtime {

namespace {

void add_waits(std::vector<FailureStack>& all, Execution& e) {
  constexpr std::size_t kMost = 24;
  for (unsigned t = 0; t < e.thread_count() && all.size() < kMost; ++t) {
    const Thread& thread = e.thread(t);
    if (thread.state == Thread::State::ended) continue;
    for (const HeldLock& held : e.cold_state().held_locks.all()) {
      if (held.thread == t && all.size() < kMost)
        all.push_back(
            {e.describe(thread) + " took " + e.describe(*held.lock), held.stack, FailureStack::Of::lock});
    }
    all.push_back({e.describe(thread) + " waits", e.trace()->pending_stack(thread), FailureStack::Of::wait});
  }
}

}  // namespace

std::vector<std::uintptr_t> stack_to_show() {
  constexpr std::size_t kMost = 48;
  return platform::calling_stack(kMost);
}

std::vector<FailureStack> stacks_of(const Failure& failure, Execution& e) {
  std::vector<FailureStack> all;
  switch (failure.kind) {
    case FailureKind::data_race:
      e.cold_state().race_record.add_stacks(all, e);
      break;
    case FailureKind::deadlock:
    case FailureKind::livelock:
    case FailureKind::step_limit:
    case FailureKind::spin:
      add_waits(all, e);
      break;
    case FailureKind::leak:
    case FailureKind::exception:  // its stack has been unwound
      break;
    default:
      all.push_back({e.describe(e.thread(failure.thread)) + " failed", stack_to_show()});
  }
  std::erase_if(all, [](const FailureStack& stack) { return stack.addresses.empty(); });
  return all;
}

}  // namespace hocket::runtime
