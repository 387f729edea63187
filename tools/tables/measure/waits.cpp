#include "tools/tables/measure/waits.hpp"

namespace measure {

using hocket::runtime::execution;

using hocket::runtime::Mode;
using hocket::runtime::run;
using hocket::runtime::Thread;

void WaitCounter::begin(const Thread&) {
  may_wait_ = 0;
  had_to_wait_ = 0;
  have_waited_.clear();
}

void WaitCounter::chose_thread(const Thread& chosen, Mode) {
  for (unsigned n = 0; n < execution.thread_count(); ++n) {
    const Thread& thread = execution.thread(n);
    const bool is_before_a_step = thread.state == Thread::State::stopped && thread.joins == nullptr;
    if (is_before_a_step && !run.enabled.contains(n)) have_waited_.insert(n);
  }
  const bool had_to = have_waited_.contains(chosen.index);
  had_to_wait_ += had_to ? 1 : 0;
  // The second half of a wait on an atomic has no operation of its own, but it begins with waiting.
  may_wait_ += had_to || hocket::runtime::may_wait(chosen.pending.operation) ? 1 : 0;
  have_waited_.erase(chosen.index);
}

}  // namespace measure
