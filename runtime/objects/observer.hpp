// What an execution tells those who want to know what happens in it: the stream of its events.
//
// An execution without an observer pays one test of a flag that it tests anyway.
#pragma once

#include <cstdint>

#include "../terms/choice.hpp"
#include "../terms/operation.hpp"
#include "object.hpp"

namespace hocket::runtime {

struct Thread;

/// Called on the fibers of an execution, so it must neither throw nor do an operation on a controlled object.
/// Nothing is called any more once the verdict on the execution stands.
class Observer {
 public:
  virtual ~Observer() = default;

  /// A new execution begins. The body's own thread is `first`.
  virtual void begin(const Thread& first) = 0;

  /// `thread` was created by `thread.creator`, which has not gone on yet.
  virtual void created(const Thread& thread) = 0;
  /// `thread` has reached its first operation or its end, and its creator goes on.
  virtual void started(const Thread& thread) = 0;
  /// `thread` goes on since `target`, which it wanted to join, has ended.
  virtual void joined(const Thread& thread, const Thread& target) = 0;

  /// `thread` has stopped before `thread.pending`. `is_free`: the kind of the operation alone decides when
  /// the thread is enabled. False for the second half of an atomic wait, which has to be notified first.
  virtual void stopped(const Thread& thread, bool is_free) = 0;
  /// `thread` was chosen to go on with its pending operation.
  virtual void chose_thread(const Thread& thread, Mode mode) = 0;

  /// `thread`, running, has met a choice between `count` values, of which all but 0 cost `price`.
  virtual void met_values(
      const Thread& thread, Operation operation, std::uint32_t count, std::uint16_t price) = 0;
  virtual void chose_value(const Thread& thread, std::uint32_t value) = 0;

  /// The thread that was chosen last touches `object`, whose version is the one after that.
  virtual void acted(const Object& object, Access access) = 0;
  /// A thread or the execution comes to its end: objects are as the last event has left them, for the last
  /// time.
  /// `is_cut_short`: the verdict stands, and the event may not have done all it was to do.
  virtual void over(bool is_cut_short) = 0;
  /// A notification has reached `thread`.
  virtual void woke(const Thread& thread) = 0;
};

}  // namespace hocket::runtime
