#include "failure_stacks.hpp"

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "../execution/cold_state.hpp"
#include "../execution/execution.hpp"
#include "../execution/run.hpp"
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
    for (const HeldLock& held : e.cold_state().recorded.held_locks.all()) {
      if (held.thread == t && all.size() < kMost)
        all.push_back(
            {describe(thread) + " took " + describe(*held.lock), held.stack, FailureStack::Of::lock});
    }
    const char* const what = run.enabled.contains(t) ? " runs" : " waits";
    all.push_back({describe(thread) + what, run.trace()->pending_stack(thread), FailureStack::Of::wait});
  }
}

}  // namespace

std::vector<std::uintptr_t> stack_to_show() {
  constexpr std::size_t kMost = 48;
  return platform::calling_stack(kMost);
}

std::string stack_title(std::string_view what, unsigned thread, std::uint32_t step, Execution& e) {
  const std::string& made_at = run.trace()->threads().at(thread).made_at;
  std::string text = "The ";
  text.append(what).append(" by ").append(describe(e.thread(thread)));
  if (!made_at.empty()) text.append(", made at ").append(made_at);
  if (step != 0) text.append(", in step ").append(std::to_string(step));
  return text;
}

void explain_next_failure_by(FailureStack stack, Execution& e) {
  e.cold_state().recorded.more_stacks.push_back(std::move(stack));
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
    case FailureKind::exception:  // its stack has been unwound; that of the throw was noted
      break;
    default:
      all.push_back({describe(e.thread(failure.thread)) + " failed", stack_to_show()});
  }
  std::vector<FailureStack>& more = e.cold_state().recorded.more_stacks;
  all.insert(all.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  more.clear();
  std::erase_if(all, [](const FailureStack& stack) { return stack.addresses.empty(); });
  return all;
}

}  // namespace hocket::runtime
