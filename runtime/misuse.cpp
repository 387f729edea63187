// What is said of objects that are used against their rules. The faces and models notice; here are the words.
#include <string>
#include <utility>

#include <hocket/runtime/execution.hpp>
#include <hocket/runtime/machinery.hpp>
#include <hocket/runtime/platform/call_site.hpp>
#include <hocket/runtime/trace.hpp>

namespace hocket::runtime {

namespace {

std::string at(const std::string& place) {
  return place.empty() ? std::string{} : " at " + place;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Locks

// ", by main at queue.cpp:7": who holds the lock, where it was taken; empty unless that is recorded.
std::string Execution::held_since(const Object& lock) const {
  std::string text;
  if (!recording) return text;
  for (const Machinery::Held& held : machinery_->held) {
    if (held.lock != &lock) continue;
    text += (text.empty() ? ", by " : " and ") + describe(*thread_slots_[held.thread]) +
            at(Trace::place(held.where));
  }
  return text;
}

bool Execution::locked_twice(Object& mutex, Where where) {
  std::string since;
  if (recording) {
    for (const Machinery::Held& held : machinery_->held) {
      if (held.lock == &mutex && held.thread == current->index) since = at(Trace::place(held.where));
    }
  }
  fail(FailureKind::misuse,
      describe(*current) + " locks " + describe(mutex) + ", which it holds already" +
          (since.empty() ? since : ", locked" + since),
      where);
  return false;
}

bool Execution::unlocked_by_stranger(Object& mutex, std::uint16_t owner, Where where) {
  std::string message = describe(*current) + " unlocks " + describe(mutex) + ", which ";
  if (owner < threads_) {
    message += describe(*thread_slots_[owner]) + " holds";
    if (recording) {
      for (const Machinery::Held& held : machinery_->held) {
        if (held.lock == &mutex && held.thread == owner) message += ", locked" + at(Trace::place(held.where));
      }
    }
  } else {
    message += owner == kOutside ? "was locked outside the body" : "it does not hold";
  }
  fail(FailureKind::misuse, std::move(message), where);
  return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Condition variables

bool Execution::waits_with_another_mutex(
    const ConditionVariable& condition, const Mutex& mutex, Where where) {
  const Thread* other = nullptr;
  condition.state.waiters.for_each([&](unsigned t) {
    if (other == nullptr && thread_slots_[t]->pending.second != &mutex) other = thread_slots_[t];
  });
  if (other == nullptr) return false;
  std::string message = describe(*current) + " waits on " + describe(condition) + " with " + describe(mutex) +
                        ", while " + describe(*other) + " waits on it with " +
                        describe(*other->pending.second);
  if (recording) message += at(options_.trace->pending_place(*other));
  fail(FailureKind::misuse, std::move(message) + "; all that wait at a time must use the same mutex", where);
  return true;
}

bool Execution::waits_holding_twice(Object& condition, Object& mutex, unsigned depth, Where where) {
  fail(FailureKind::misuse,
      describe(*current) + " waits on " + describe(condition) + " with " + describe(mutex) +
          ", which it holds " + std::to_string(depth) +
          " times: the wait releases it once, so that no other thread can lock it",
      where);
  return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Destruction, join

/// The first thread that is stopped before an operation on `object`, or nullptr.
const Thread* Execution::about_to_use(const Object& object) const {
  for (unsigned t = 0; t < threads_; ++t) {
    const Thread& thread = *thread_slots_[t];
    if (&thread == current || thread.state != Thread::State::stopped) continue;
    const Pending& pending = thread.pending;
    if (pending.object != &object && pending.second != &object) continue;
    // Who has been notified waits for the mutex alone: the condition variable may go before it has it.
    const bool has_done_with_it =
        pending.operation == Operation::condition_reacquire && thread.notified && pending.second != &object;
    if (!has_done_with_it) return &thread;
  }
  return nullptr;
}

void Execution::destroyed_in_use(const Object& object, const Thread& user, Where where) {
  std::string message = describe(*current) + " destroys " + describe(object);
  if (recording) message += at(Trace::place(platform::user_call_site(where)));
  message += " while " + describe(user) + " is about to do " +
             std::string(to_string(user.pending.operation)) + " on it";
  if (recording) message += at(options_.trace->pending_place(user));
  fail(FailureKind::use_after_destruction, std::move(message), where);
}

void Execution::joined_by_two(const Thread& thread, Where where) {
  std::string message =
      describe(*current) + " joins " + describe(thread) + ", which " + describe(*thread.joiner) + " joins";
  if (recording) message += at(options_.trace->pending_place(*thread.joiner));
  fail(
      FailureKind::misuse, std::move(message) + " at the same time; only one thread may join another", where);
}

}  // namespace hocket::runtime
