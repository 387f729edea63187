// What is known about an execution that has ended.
#pragma once

#include <cstdint>

#include "../terms/action_hash.hpp"
#include "../terms/choice.hpp"
#include "../terms/where.hpp"

namespace hocket::runtime {

/// How an execution ended.
enum class Outcome : std::uint8_t {
  completed,  ///< every thread ended, or those that are left may outlive the body
  failed,
  dropped,     ///< by assume()
  pruned,      ///< the chooser knows what would follow
  unfair,      ///< at the step limit: threads that yield kept running while others were kept waiting
  diverged,    ///< the chooser asked for something that is not a candidate
  interrupted  ///< see Verdict::interrupt()
};

struct ExecutionResult {
  Outcome outcome = Outcome::completed;
  std::uint32_t passed_races = 0;  ///< data races that it went past, those of the same two lines as one
  ClassHash hash;                  ///< of the execution's actions
  ChoiceLog log;                   ///< valid until the next execution begins
  unsigned threads = 0;            ///< created, including the body's own
  unsigned left_waiting = 0;       ///< detached threads that waited when it ended with its body
  bool abandoned = false;          ///< a thread's stack could be neither unwound nor run to its end
  bool left_out_unfair = false;    ///< ExecutionOptions::leaves_out_unfair excluded a candidate
  bool left_out_sealed = false;    ///< ExecutionOptions::sealed_steps kept a thread from being preempted
  bool priced_yield = false;       ///< running a thread on had a price because it yields in vain
  bool held_late_waits = false;    ///< a wait did not expire because it is late: ExecutionRules::late_from
  Where yields_at{};               ///< the place of one such yield; may be no place

  // An execution that was pruned may run on by default choices, and nobody else learns how it ends.
  bool ran_on = false;     ///< it did, and came to its end
  bool failed_on = false;  ///< it did, and failed
  ClassHash hash_at_end;   ///< if it ran on: of all of its actions
};

}  // namespace hocket::runtime
