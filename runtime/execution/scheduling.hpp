// Scheduling points: a thread stops before an operation, and the chooser says which thread runs next.
//
// A step takes one of three paths, all with the same outcome. Fast path (arrive): the strategy need not be
// consulted here and the current thread is enabled, so it keeps running. Common path (choose_next): the
// candidates are the enabled threads. Slow path (choose_on_slow_path): nothing is assumed.
#pragma once

#include <cstdint>

#include "../terms/choice.hpp"
#include "../terms/inlined.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"
#include "stuck_threads.hpp"

namespace hocket::runtime {

class Scheduling : public StuckThreads {
 public:
  /// Stops the current thread before `operation` on `object` and returns when it is the thread's turn.
  /// `ready` says whether the operation could complete now.
  [[nodiscard]] HOCKET_INLINED bool arrive(Object& object, Operation operation, bool ready, Where where) {
    if (object.life != life) [[unlikely]] {
      if (!first_touch(object, operation, where)) return false;
    }
    if (position < stop && ready) [[likely]] {
      log_staying();
      return true;
    }
    return stop_and_resume(object, operation, ready, where);
  }

  /// Like arrive(), for an operation that may have to wait. `waiting` is the object's set of waiting threads.
  HOCKET_INLINED bool arrive_to_wait(
      Object& object, Operation operation, bool ready, ThreadSet& waiting, Where where) {
    if (object.life != life) [[unlikely]] {
      if (!first_touch(object, operation, where)) return false;
    }
    if (position < stop && ready) [[likely]] {
      log_staying();
      return true;
    }
    wait_in(waiting, *current);
    return stop_and_resume(object, operation, ready, where);
  }

  /// The outcome of `hocket::choose(count)`.
  std::uint32_t choose(std::uint32_t count, Where where);
  /// Whether a weak compare-exchange that could succeed fails spuriously.
  bool fails_spuriously(Where where);
  /// One does, and there was no choice.
  void note_spurious_failure() { act_alone(Operation::atomic_compare_exchange, 1); }

  /// Whether a loop that polls for long is to come to its end before any other thread runs.
  bool polls_to_its_end(Where where);
  /// The limit of steps is one step further away in this execution, for one that a model of the program
  /// needs.
  void grant_a_step();

  /// Records the result of priced_poll().
  void note_priced_poll(const void* code) {
    if (priced_poll_ == nullptr) priced_poll_ = code;
  }
  /// Record the result of met_attempt().
  void note_lone_attempt() { has_lone_attempts_ = true; }
  void note_met_attempt(const void* code) {
    if (met_attempt_ == nullptr) met_attempt_ = code;
  }

  /// Between the two calls, which may be nested, the current thread is preempted only where it blocks.
  void forbid_preemption();
  void allow_preemption();

 protected:
  /// On the fast path: the current thread keeps running.
  [[gnu::always_inline]] void log_staying() {
    const unsigned self = current->index;
    log[position] = {enabled.low_word(), static_cast<std::uint32_t>(hash.low),
        static_cast<std::uint16_t>(thread_code(self)), static_cast<std::uint8_t>(self), LogEntry::narrow, 1,
        0};
    ++position;
  }
  /// Leaves the fast path.
  [[nodiscard, gnu::always_inline]] bool stop_and_resume(
      Object& object, Operation operation, bool ready, Where where) {
    Thread& next = stop_before(object, operation, ready, where);
    // The result of a choice among several threads cannot be predicted, and a jump to the current fiber costs
    // less than a mispredicted branch.
    if (enabled.has_several_low() || &next != current) switch_to(next);
    return resume();
  }

  [[nodiscard]] Thread& stop_before(Object& object, Operation operation, bool ready, Where where);
  [[gnu::noinline]] Thread& after_stop(Thread& self);
  [[nodiscard]] Thread& choose_next();
  [[nodiscard, gnu::noinline]] Thread& choose_on_slow_path();
  [[nodiscard, gnu::noinline]] Thread& consult();
  [[nodiscard]] bool is_only_observed() const;
  [[nodiscard]] Thread& choose_observed();
  [[nodiscard, gnu::cold]] bool runs_out(Code code);
  [[nodiscard, gnu::noinline]] Thread& draw_from_many();
  [[nodiscard, gnu::noinline]] Thread& step_by_least_named();
  LogEntry& write_entry(unsigned chosen);
  Thread& step_by(unsigned chosen);
  [[nodiscard]] Code choose_among_all(LogEntry& entry);
  [[nodiscard]] std::uint32_t choose_value(
      Operation operation, std::uint32_t count, std::uint16_t price, Where where);
  [[nodiscard, gnu::noinline]] unsigned least_named(const ThreadSet& set) const;
  void note_priced_yield(unsigned thread, bool is_at_it);
  void plan_fast_path() {
    const std::uint32_t consult_at = chooser_->consult_at;
    stop = consult_at < common_until ? consult_at : common_until;
  }
  Thread& set_going(Thread& next, Mode mode) {
    next.state = Thread::State::running;
    next.mode = mode;
    if (next.is_in_a_set) [[unlikely]]
      return take_out_of_sets(next);
    return next;
  }
};

}  // namespace hocket::runtime
