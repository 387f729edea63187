#include "misuse.hpp"

#include <string>
#include <utility>

#include "../execution/allocations.hpp"
#include "../execution/cold_state.hpp"
#include "../execution/execution.hpp"
#include "source_text.hpp"
#include "trace.hpp"

// Messages are Hocket's own memory: freeing the body's memory records the caller, which is part of the
// failure's signature.
namespace hocket::runtime::misuse {

namespace {

// ", by main at queue.cpp:7": which thread holds the lock and where it was taken; empty unless that is
// recorded.
std::string held_since(const Object& lock) {
  std::string text;
  if (!run.recording) return text;
  for (const HeldLock& held : execution.cold_state().recorded.held_locks.all()) {
    if (held.lock != &lock) continue;
    text += (text.empty() ? ", by " : " and ") + describe(execution.thread(held.thread)) + at(held.where);
  }
  return text;
}

/// What the thread, which is stopped, does next in its code.
const Pending& about_to_do(const Thread& thread) {
  const Pending* const after_yield = thread.instrumented.gives_way_before;
  return after_yield != nullptr ? *after_yield : thread.pending;
}

/// The first thread that is stopped before `operation` (none means any) on `object`, or nullptr.
const Thread* about_to_use(const Object& object, Operation operation) {
  for (unsigned t = 0; t < execution.thread_count(); ++t) {
    const Thread& thread = execution.thread(t);
    if (&thread == run.current || thread.state != Thread::State::stopped) continue;
    const Pending& pending = about_to_do(thread);
    if (pending.object != &object && pending.second != &object) continue;
    if (operation != Operation::none && pending.operation != operation) continue;
    // A notified thread waits only for the mutex: the condition variable may be destroyed before it has the
    // mutex.
    const bool has_done_with_it =
        pending.operation == Operation::condition_reacquire && thread.notified && pending.second != &object;
    if (!has_done_with_it) return &thread;
  }
  return nullptr;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Locks

void locked_twice(const Object& mutex, Where where) {
  const OwnMemory own;
  const HeldLock* const before = execution.cold_state().recorded.held_locks.find(
      mutex, run.current->index);  // nullptr if that is not recorded
  step::fail(FailureKind::misuse,
      describe(*run.current) + " locks " + describe(mutex) + ", which it holds already" +
          (before != nullptr ? clause("locked", before->where) : std::string{}),
      where);
}

bool unlocked_by_stranger(const Object& mutex, std::uint16_t owner, Where where) {
  const OwnMemory own;
  std::string message = describe(*run.current) + " unlocks " + describe(mutex) + ", which ";
  const HeldLock* const mine = execution.cold_state().recorded.held_locks.find(mutex, run.current->index);
  if (mine != nullptr) {  // a shared mutex, released in the other mode
    message += mine->is_shared ? "it holds in shared mode" + clause("locked", mine->where) +
                                     "; unlock it with unlock_shared() or use a std::shared_lock"
                               : "it holds in exclusive mode" + clause("locked", mine->where) +
                                     "; unlock it with unlock() or use a std::lock_guard";
  } else if (owner < execution.thread_count()) {
    message += describe(execution.thread(owner)) + " holds";
    const HeldLock* const held = execution.cold_state().recorded.held_locks.find(mutex, owner);
    if (held != nullptr) message += clause("locked", held->where);
  } else {
    message += owner == kOutside ? "was locked outside the body" : "it does not hold";
  }
  step::fail(FailureKind::misuse, message, where);
  return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Condition variables

bool waits_with_another_mutex(const ConditionVariable& condition, const Mutex& mutex, Where where) {
  const Thread* other = nullptr;
  condition.state.waiters.for_each([&](unsigned t) {
    if (other == nullptr && execution.thread(t).pending.second != &mutex) other = &execution.thread(t);
  });
  if (other == nullptr) return false;
  const OwnMemory own;
  std::string message = describe(*run.current) + " waits on " + describe(condition) + " with " +
                        describe(mutex) + ", while " + describe(*other) + " waits on it with " +
                        describe(*other->pending.second);
  if (run.recording) message += at(run.options.trace->pending_place(*other));
  step::fail(FailureKind::misuse,
      std::move(message) + "; all threads that wait at the same time must use the same mutex", where);
  return true;
}

void waits_holding_twice(const Object& condition, const Object& mutex, unsigned depth, Where where) {
  const OwnMemory own;
  step::fail(FailureKind::misuse,
      describe(*run.current) + " waits on " + describe(condition) + " with " + describe(mutex) +
          ", which it holds " + std::to_string(depth) +
          " times: the wait releases it once, so that no other thread can lock it",
      where);
}

// ---------------------------------------------------------------------------------------------------------------------
// Destruction, join

namespace {

const char* verb_of(End how) {
  return how == End::destruction ? " destroys " : " has returned from the function that owns ";
}

}  // namespace

void ended_while(const Object& object, End how, const char* objection, Where where) {
  const OwnMemory own;
  step::fail(how == End::destruction ? FailureKind::misuse : FailureKind::use_after_return,
      describe(*run.current) + verb_of(how) + describe(object) + " while it " + objection +
          held_since(object),
      where);
}

bool ended_in_use(const Object& object, End how, Where where, Operation operation) {
  const Thread* user = about_to_use(object, operation);
  if (user == nullptr) return false;
  const OwnMemory own;
  std::string message = describe(*run.current) + verb_of(how) + describe(object);
  if (run.recording) message += at(user_place_of(where));
  message += " while " + describe(*user) + " is about to perform " +
             std::string(to_string(about_to_do(*user).operation)) + " on it";
  if (run.recording) message += at(run.options.trace->pending_place(*user));
  step::fail(how == End::destruction ? FailureKind::use_after_destruction : FailureKind::use_after_return,
      message, where);
  return true;
}

void joined_by_two(const Thread& thread, Where where) {
  const OwnMemory own;
  std::string message = describe(*run.current) + " joins " + describe(thread) + ", which " +
                        describe(*thread.joiner) + " joins";
  if (run.recording) message += at(run.options.trace->pending_place(*thread.joiner));
  step::fail(
      FailureKind::misuse, std::move(message) + " at the same time; only one thread may join another", where);
}

}  // namespace hocket::runtime::misuse
