#include "outside.hpp"

#include "allocations.hpp"
#include "execution.hpp"

namespace hocket::runtime {

bool goes_on_from_outside() {
  if (wait_for_outside == nullptr || run.ending) return false;
  const OwnMemory own;
  const FromOutside found = wait_for_outside();
  if (found == FromOutside::interruption) execution.verdict.begin_ending(Outcome::interrupted);
  return found == FromOutside::something;
}

void wake_at_atomic(Thread& thread) {
  if (run.options.observer != nullptr) run.options.observer->woke(thread);
  thread.notified = true;
  run.enabled.insert(thread.index);
  if (thread.pending.special) execution.enabled_threads.refresh(thread);
}

}  // namespace hocket::runtime
