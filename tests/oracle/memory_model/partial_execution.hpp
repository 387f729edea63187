// An execution that is being built: what has happened, and what each thread has come to. What may happen
// next is for a memory model to say; here is only what programs mean under all of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/memory_model/behaviours.hpp"
#include "tests/oracle/memory_model/execution.hpp"
#include "tests/oracle/memory_model/program.hpp"

namespace hocket::memory_model {

/// What a thread has come to.
struct Progress {
  std::uint8_t place = 0;  ///< of the next instruction
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
  std::array<std::int8_t, kRegisters> registers{};

  [[nodiscard]] std::int8_t value_of(const Operand& operand) const;
  /// What the write has written.
  [[nodiscard]] std::int8_t value_of(EventIndex write) const { return execution.at(write).value; }
  [[nodiscard]] EventIndex newest(unsigned location) const {
    return execution.modifications[location].back();
  }
  [[nodiscard]] EventIndex last_event() const { return static_cast<EventIndex>(execution.events.size() - 1); }
  [[nodiscard]] bool is_free(unsigned mutex) const;
  /// The threads that sleep in the queue: those whose last event is in it.
  [[nodiscard]] std::vector<unsigned> sleepers(unsigned queue) const;

  Event& append(unsigned thread, EventKind kind, unsigned object);
  void append_to_mutex(unsigned thread, EventKind kind, unsigned mutex);
  void append_to_queue(unsigned thread, unsigned queue);
  /// Appends an access, as the kind says, and lets a write be the one at `place` in modification order. The
  /// thread's register gets what is read.
  void append_access(unsigned thread, const Instruction& instruction, const Event& access, std::size_t place);
  /// The last event puts its thread to sleep.
  void fall_asleep(unsigned queue);
  /// The last event wakes the thread.
  void wake(unsigned sleeper);
};

/// A thing that an access can be.
struct Access {
  Event event;
  bool fails_for_no_reason = false;
};

/// What an access that reads the write `from` can be. A wait is here as if it ended.
std::vector<Access> readings(
    const PartialExecution& partial, const Instruction& instruction, EventIndex from);
/// The event of an access that only writes.
Event writing(const PartialExecution& partial, const Instruction& instruction);

/// The beginning of an execution. Its events are the first values.
PartialExecution beginning_of(const Program& program);

/// Moves the thread past instructions that are no events, and returns the next one that is; nullptr if the
/// thread has ended.
const Instruction* next_of(const Program& program, PartialExecution& partial, unsigned thread);
bool has_ended(const Program& program, PartialExecution& partial, unsigned thread);
/// Whether all threads that have begun have ended.
bool have_all_ended(const Program& program, PartialExecution& partial);

/// The graph of the execution. Two executions with one text can go on in the same ways.
std::string graph_of(const Program& program, const PartialExecution& partial);
std::string outcome_of(const Program& program, const PartialExecution& partial);

}  // namespace hocket::memory_model
