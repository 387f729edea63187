// Threads that wait for a change: in hocket::await, until a predicate holds, and in a polling loop.
//
// The operation that begins the next evaluation of a predicate is guarded: its thread cannot continue before
// something has changed that the last evaluation accessed. A change counts from the first access to the
// object: what changes during the evaluation may be what the thread waits for, even if the predicate reads
// the object again later. When the thread continues it reads all of these objects, so that the order of these
// reads and of the writes that may have let it continue belongs to the class.
//
// A thread that polls is guarded in the same way, but by states: while everything is in the state in which
// the last round found it, one more round would change nothing (interpose/unmodified/hooks/polling.hpp).
#include "awaiting.hpp"

#include <algorithm>
#include <cassert>
#include <string>

#include "actions.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

void Awaiting::begin_await() {
  Thread& self = *run.current;
  if (self.is_evaluating) {
    verdict_.fail(FailureKind::misuse,
        describe(self) +
            " calls await in the predicate of another await: the outer one would not know what it waits for; "
            "write one predicate for both",
        Where{});
    return;
  }
  self.is_evaluating = true;
  self.awaited.clear();
  self.read_in_round.clear();
  self.read_in_last_round.clear();
  run.raise_attention(Attention::to_all);
}

bool Awaiting::await_change(Where where) {
  Thread& self = *run.current;
  if (run.ending) {
    verdict_.end_here();
    return false;
  }
  if (self.is_guarded || self.awaited.empty()) {
    verdict_.fail(FailureKind::misuse,
        "the predicate of an await in " + describe(self) +
            " performs no operation on a hocket:: object, so nothing says when to evaluate it again",
        where);
    return false;
  }
  // What a round has read, the next one does not read again unless it is still the newest: it would only be
  // the same round, later. So a thread that waits does come to an end.
  self.read_in_last_round.swap(self.read_in_round);
  self.read_in_round.clear();
  enabled_threads_.guard(self);
  return true;
}

void Awaiting::wait_for_other_states(std::int64_t nanoseconds) {
  assert(is_on_body() && !run.current->awaited.empty());
  Thread& self = *run.current;
  self.polls = true;
  enabled_threads_.guard(self);
  run.raise_attention(Attention::to_all);
  if (nanoseconds == 0) return;
  self.pending.is_late = EnabledThreads::is_late(nanoseconds);
  self.instrumented.looks.lets_time_pass = self.instrumented.looks.time_passed != 0 && !self.pending.is_late;
  self.pending.deadline = time_.now() + nanoseconds;
  if (self.instrumented.looks.lets_time_pass) return;
  self.pending.timed = true;
  enabled_threads_.begin_special_wait(self);
}

// Does what advance_clock() does, for a thread that is already running.
void Awaiting::end_poll_by_time(Thread& thread) {
  const OwnMemory own;
  thread.instrumented.looks.time_passed = thread.pending.deadline - time_.now();
  time_.pass_until(thread.pending.deadline);
  thread.seen_clock = time_.now();
  Object& clock = run.cold->clock;
  ++clock.version;
  add_action(thread, action_word(clock.key, clock.version, Operation::clock_now, Access::write));
  if (run.options.observer != nullptr) run.options.observer->acted(clock, Access::write);
  thread.wrote_since_yield = thread.has_yielded;
  run.cold->scheduling.fairness.time_passed();
}

void Awaiting::end_await() {
  Thread& self = *run.current;
  self.is_evaluating = false;
  if (self.is_guarded) enabled_threads_.drop_guard(self);
  self.awaited.clear();
  self.read_in_round.clear();
  self.read_in_last_round.clear();
}

void Awaiting::read_awaited(Thread& thread, Operation operation) {
  const OwnMemory own;
  for (const Thread::Read& read : thread.awaited) {
    if (read.object == nullptr) continue;  // it has been destroyed
    const Object& object = *read.object;
    // Of these the operations themselves say which values they read, and the threads that have read the
    // newest one do not go on.
    if (run.keeps_stores && object.kind->keeps_stores) continue;
    add_action(thread, action_word(object.key, object.version, operation, Access::read));
    if (run.options.observer != nullptr) run.options.observer->acted(object, Access::read);
    if (thread.has_yielded && !thread.wrote_since_yield)
      note_read_since_yield(thread, object, object.version);
  }
  thread.awaited.clear();
}

}  // namespace hocket::runtime
