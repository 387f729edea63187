// What can be seen of an execution, for messages and reports, for strategies that look at pending operations,
// for the crash handler and for debuggers.
#pragma once

#include <cstdint>
#include <string>

#include "../objects/object.hpp"
#include "../objects/var.hpp"
#include "../races/weaker_orders.hpp"
#include "../terms/choice.hpp"
#include "../terms/failure.hpp"
#include "../terms/where.hpp"
#include "../threads/thread.hpp"
#include "execution_options.hpp"
#include "execution_result.hpp"
#include "execution_state.hpp"

namespace hocket::runtime {

/// The body wants to be skipped.
struct Skipping {
  std::string reason;
  Where where{};
};

/// The base of Execution.
class ExecutionView : public ExecutionState {
 public:
  // -- How it has gone

  /// What went wrong, when the outcome of the last run was Outcome::failed.
  [[nodiscard]] const Failure& failure() const;
  /// Whether failure() is of the execution that runs.
  [[nodiscard]] bool has_failed() const { return outcome_ == Outcome::failed; }
  /// When the last execution has failed by a data race: which.
  [[nodiscard]] const Race& race() const;
  /// Or nullptr.
  [[nodiscard]] const Skipping* skipping() const;
  /// Whether in this search two threads have touched the same var, and nobody looked for data races.
  [[nodiscard]] bool passes_over_races() const { return passes_over_races_; }
  /// What in this search has asked for a weaker memory order than seq_cst. Slow.
  [[nodiscard]] WeakerOperations weaker_operations() const;
  /// Whether in this search an execution was dropped because it hit a failure whose detector is off.
  [[nodiscard]] bool passes_over_failures() const { return passes_over_failures_; }
  /// The first operation of this search, by the code that called for it, before which a loop that polls was
  /// made to yield although it changes something in each round; or nullptr. Schedules in which it looks more
  /// often cost more.
  [[nodiscard]] const void* priced_poll() const { return priced_poll_; }
  /// The first code in this search that failed to take a lock which a call of std::lock had taken, if some
  /// attempts of such calls were not to be interrupted (StandardLock); or nullptr.
  [[nodiscard]] const void* met_attempt() const { return has_lone_attempts_ ? met_attempt_ : nullptr; }
  [[nodiscard]] unsigned abandoned_in_all() const { return abandoned_in_all_; }
  /// Whether there has been no execution yet.
  [[nodiscard]] bool is_untouched() const { return cold_state_ == nullptr; }

  // -- How it stands

  [[nodiscard]] const ExecutionOptions& options() const { return options_; }
  [[nodiscard]] unsigned thread_count() const { return threads_; }
  [[nodiscard]] const Thread& thread(unsigned index) const { return *thread_slots_[index]; }
  [[nodiscard]] Thread& thread(unsigned index) { return *thread_slots_[index]; }
  [[nodiscard]] const unsigned* address_of_thread_count() const { return &threads_; }
  [[nodiscard]] Thread* const* addresses_of_threads() const { return thread_slots_; }
  [[nodiscard]] const Candidate* candidates() const;
  [[nodiscard]] const Object& clock() const;
  [[nodiscard]] bool is_clock(const Object& object) const;
  /// What the current thread last saw of the clock, to compute how long a wait may last. Not the clock
  /// itself: to look at that is a step, and what a wait does must be the same in all executions of a class.
  [[nodiscard]] std::int64_t virtual_now() const { return current->seen_clock; }
  /// Whether `thread` and `serial` (of the execution that created it) still mean something.
  [[nodiscard]] bool is_current_execution(Life serial) const { return serial == life; }
  /// A word that changes with every operation, also while threads are being ended, and with first_touches.
  [[nodiscard]] std::uint64_t progress() const {
    return (static_cast<std::uint64_t>(life) + position + hash.low + ending_operations_ + first_touches) *
               256 +
           live_;
  }
  /// Whether the address lies in what the runtime keeps for threads and for the log, outside its static data.
  [[nodiscard]] bool keeps(std::uintptr_t address) const;

  /// A short name of the thread or object for messages: full when recording, general otherwise.
  [[nodiscard]] std::string describe(const Thread& thread) const;
  [[nodiscard]] std::string describe(const Object& object) const;
};

}  // namespace hocket::runtime
