// The stream of events that an execution sends to an observer.
//
// An execution without an observer pays for one test of a flag that it tests anyway.
#pragma once

#include <cstdint>

#include "../terms/choice.hpp"
#include "../terms/operation.hpp"
#include "object.hpp"

namespace hocket::runtime {

struct Thread;

/// The functions are called on the fibers of an execution, so they must neither throw nor do an operation on
/// a controlled object. None is called once the verdict on the execution is final.
class Observer {
 public:
  virtual ~Observer() = default;

  /// A new execution begins. The body's own thread is `first`.
  virtual void begin(const Thread& first) = 0;

  /// `thread` was created by `thread.creator`, which has not resumed yet.
  virtual void created(const Thread& thread) = 0;
  /// `thread` has reached its first operation or its end, and its creator resumes.
  virtual void started(const Thread& thread) = 0;
  /// `thread` resumes because `target`, which it wanted to join, has ended.
  virtual void joined(const Thread& thread, const Thread& target) = 0;

  /// `thread` has stopped before `thread.pending`. `is_free` is true if the kind of the operation alone
  /// decides when the thread is enabled. It is false for the second half of an atomic wait, which must be
  /// notified first.
  virtual void stopped(const Thread& thread, bool is_free) = 0;
  /// `thread` was chosen to continue with its pending operation.
  virtual void chose_thread(const Thread& thread, Mode mode) = 0;

  /// `thread`, which is running, has reached a choice between `count` values. All values except 0 cost
  /// `price`.
  virtual void met_values(
      const Thread& thread, Operation operation, std::uint32_t count, std::uint16_t price) = 0;
  virtual void chose_value(const Thread& thread, std::uint32_t value) = 0;

  /// Of the access for which acted() comes next, to an atomic of which it could read several values, or put
  /// its own behind several: behind the one that was chosen come `newer` stores in the modification order,
  /// and behind the oldest that could have been chosen `most`.
  virtual void chose_store(std::uint32_t /*newer*/, std::uint32_t /*most*/) {}

  /// The thread that was chosen last accesses `object`. The object's version is the one after the access.
  virtual void acted(const Object& object, Access access) = 0;
  /// A thread or the execution ends: objects are, for the last time, as the last event has left them.
  /// `is_cut_short` means that the verdict is final and the event may not have had its full effect.
  virtual void over(bool is_cut_short) = 0;
  /// A notification has reached `thread`.
  virtual void woke(const Thread& thread) = 0;
  /// `thread`, which waits for a notification, now waits for one of thread.pending.object.
  virtual void moved(const Thread& /*thread*/) {}
};

}  // namespace hocket::runtime
