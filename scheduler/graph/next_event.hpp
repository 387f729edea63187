// What a thread is stopped before, after a given number of its own events: its next step, or its next choice
// of a value inside a step.
#pragma once

#include <cassert>
#include <cstdint>
#include <variant>

#include "../../runtime/terms/operation.hpp"
#include "../../runtime/terms/sabotage.hpp"
#include "vector_clocks.hpp"

namespace hocket::graph {

/// A part of one of the recording's vectors.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t size = 0;
};

/// The next step of a thread. Whether it is enabled, and what it does, depends on the cut.
struct NextStep {
  bool must_be_woken = false;  ///< it has begun to wait for a notification
  bool timed = false;
  bool special = false;  ///< see runtime::Pending
  bool is_late = false;
  bool is_guarded = false;      ///< held back until something that it has read changes
  bool polls = false;           ///< held back until the state of something that it has read changes
  bool lets_time_pass = false;  ///< see runtime::Looks
  bool has_changed = false;     ///< something that it had read had already changed when it stopped
  bool may_be_futile = false;   ///< at a yield, with no write since the last one
  bool may_fail_spuriously = false;
  std::uint32_t second = kNone;  ///< the second object that it needs or changes
  Range reads;                 ///< in Recording::reads: since its last yield, or in the await that guards it
  std::uint64_t expected = 0;  ///< the state in which a compare-exchange succeeds
  std::int64_t time = 0;       ///< timed: the deadline; at a sleep: how long it is
};

/// The next choice of a value of a thread, inside a step.
struct NextValue {
  std::uint32_t count = 0;  ///< of values
  std::uint16_t price = 0;  ///< of every value except 0
};

struct NextEvent {
  bool needs_others = true;  ///< `clock` requires events of other threads
  bool forbids_preemption = false;
  runtime::Operation operation = runtime::Operation::none;
  std::uint32_t object = kNone;
  std::uint32_t wait = kNone;         ///< the wait that the thread is enqueued for, in Recording::waits
  VectorClocks::Place clock = kNone;  ///< what must have happened for the thread to be here
  Range parts;                        ///< runtime::InstrumentedThread::parts_touched, in Recording::parts
  std::uint64_t next_action = 0;
  std::variant<std::monostate, NextStep, NextValue> what;  ///< nothing: the thread does not stop here

  [[nodiscard]] bool is_there() const { return what.index() != 0; }
  [[nodiscard]] bool is_value() const { return std::holds_alternative<NextValue>(what); }
  [[nodiscard]] const NextStep& step() const {
    const auto* step = std::get_if<NextStep>(&what);
    assert(step != nullptr);
    return *step;
  }
  [[nodiscard]] const NextValue& value() const {
    const auto* value = std::get_if<NextValue>(&what);
    assert(value != nullptr);
    return *value;
  }

  /// Whether it is a yield that cannot be futile, and no sleep. Such a yield changes nothing but the price of
  /// the next switch, and the thread alone has decided that it comes.
  [[nodiscard]] bool is_plain_yield() const {
    using runtime::Operation;
    using runtime::Sabotage;
    if (operation == Operation::thread_sleep)
      return runtime::is_sabotaged(Sabotage::sleeps_conflict_with_nothing);
    if (operation != Operation::thread_yield) return false;
    return !step().may_be_futile || runtime::is_sabotaged(Sabotage::futile_yields_conflict_with_nothing);
  }
};

}  // namespace hocket::graph
