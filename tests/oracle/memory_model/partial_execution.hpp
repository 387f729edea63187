// An execution that is being built: what has happened, and what each thread has come to. What may happen
// next is for a memory model to say; here is only what programs mean under all of them.
//
// The main thread only starts and joins the others. It is not looked at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/oracle/memory_model/execution.hpp"
#include "tests/oracle/programs/program.hpp"

namespace hocket::memory_model {

/// What a thread has come to.
struct Progress {
  oracle::Frame frame;
  std::int8_t events = 0;
  bool has_begun = false;
  bool is_asleep = false;
  bool must_lock_again = false;    ///< it was asleep at a condition variable
  EventIndex woken_by = kNoEvent;  ///< to be noted with its next event
  EventIndex refused = kNoEvent;   ///< the write that a wait must not read once more
};

struct PartialExecution {
  Execution execution;
  std::array<Progress, kMostThreads> threads;

  /// What the write has written.
  [[nodiscard]] std::int8_t value_of(EventIndex write) const { return execution.at(write).value; }
  [[nodiscard]] EventIndex newest(unsigned location) const {
    return execution.modifications[location].back();
  }
  [[nodiscard]] EventIndex last_event() const { return static_cast<EventIndex>(execution.events.size() - 1); }
  /// Whether another thread must do something before the thread can do this.
  [[nodiscard]] bool is_blocked(const Program& program, unsigned thread, const Instruction& next);
  /// The threads that the instruction wakes: all the ways in which it can, mostly that it wakes nobody.
  [[nodiscard]] std::vector<std::vector<unsigned>> ways_to_wake(const Instruction& instruction) const;

  /// Does what is no access, and moves the thread on.
  void perform(unsigned thread, const Instruction& instruction, const std::vector<unsigned>& woken);
  /// Appends an access, as the kind says, and lets a write be the one at `place` in modification order.
  void append_access(unsigned thread, const Instruction& instruction, const Event& access, std::size_t place);
  /// Moves the thread on behind its access, which is the last event.
  void complete_access(unsigned thread, const Instruction& instruction);
  /// The last event puts its thread to sleep.
  void fall_asleep(unsigned object);

 private:
  Event& append(unsigned thread, EventKind kind, unsigned object);
  [[nodiscard]] bool is_free(unsigned mutex) const;
};

bool is_access(Verb verb);

/// A thing that an access can be.
struct Access {
  Event event;
  bool fails_for_no_reason = false;
};

/// What an access that reads the write `from` can be. A wait is here as if it ended.
std::vector<Access> readings(
    const PartialExecution& partial, unsigned thread, const Instruction& instruction, EventIndex from);
/// The event of an access that only writes.
Event writing(const PartialExecution& partial, unsigned thread, const Instruction& instruction);

/// The beginning of an execution. Its events are the first values.
PartialExecution beginning_of(const Program& program);

/// Moves the thread past instructions that are no events, and returns the next one that is; nothing if the
/// thread has ended, has not begun or is asleep.
std::optional<Instruction> next_of(const Program& program, PartialExecution& partial, unsigned thread);
/// Whether all threads that have begun have ended.
bool have_all_ended(const Program& program, PartialExecution& partial);

/// The graph of the execution: what each event read, who woke whom, and the orders of writes, locks and
/// queues. Two executions with one text can go on in the same ways.
std::string graph_of(const Program& program, const PartialExecution& partial);
std::string outcome_of(const Program& program, const PartialExecution& partial);

}  // namespace hocket::memory_model
