// What can be seen of an execution, for messages and reports, for strategies that read pending operations,
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

/// A request of the body to be skipped.
struct Skipping {
  std::string reason;
  Where where{};
};

/// The base of Execution.
class ExecutionView : public ExecutionState {
 public:
  // -- Results

  /// What went wrong, if the outcome of the last run was Outcome::failed.
  [[nodiscard]] const Failure& failure() const;
  /// Whether failure() belongs to the running execution.
  [[nodiscard]] bool has_failed() const { return outcome_ == Outcome::failed; }
  /// The data race, if the last execution failed because of one.
  [[nodiscard]] const Race& race() const;
  /// The request of the body to be skipped, or nullptr.
  [[nodiscard]] const Skipping* skipping() const;
  /// Whether two threads have accessed the same var in this search while race detection was off.
  [[nodiscard]] bool passes_over_races() const { return passes_over_races_; }
  /// Whether an operation could have read more stores than there are codes, in this search.
  [[nodiscard]] bool passes_over_stores() const { return passes_over_stores_; }
  /// Whether operations of this search could have read older values beyond ExecutionRules::stale_limit.
  [[nodiscard]] bool left_out_stale() const { return left_out_stale_; }
  /// Whether ExecutionRules::reads_older_once has left out values, in this search.
  [[nodiscard]] bool left_out_rereads() const { return left_out_rereads_; }
  /// How many operations of this execution have read an older value than the newest, or stored one that is
  /// not the newest.
  [[nodiscard]] std::uint32_t stale_choices() const;
  /// The operations in this search that asked for a memory order weaker than seq_cst. Slow.
  [[nodiscard]] WeakerOperations weaker_operations(bool kept_stores) const;
  /// Whether an execution of this search was dropped because it hit a failure whose detector is off.
  [[nodiscard]] bool passes_over_failures() const { return passes_over_failures_; }
  /// The code that called the first operation in this search before which a polling loop was made to yield
  /// although it changes something in each round; or nullptr. Schedules in which that loop polls more often
  /// cost more.
  [[nodiscard]] const void* priced_poll() const { return priced_poll_; }
  /// The first code in this search that failed to take a lock held by a call of std::lock, if some attempts
  /// of such calls were not to be interrupted (StandardLock); or nullptr.
  [[nodiscard]] const void* met_attempt() const { return has_lone_attempts_ ? met_attempt_ : nullptr; }
  [[nodiscard]] unsigned abandoned_in_all() const { return abandoned_in_all_; }
  /// Whether there has been no execution yet.
  [[nodiscard]] bool is_untouched() const { return cold_state_ == nullptr; }

  // -- Current state

  [[nodiscard]] const ExecutionOptions& options() const { return options_; }
  [[nodiscard]] unsigned thread_count() const { return threads_; }
  [[nodiscard]] const Thread& thread(unsigned index) const { return *thread_slots_[index]; }
  [[nodiscard]] Thread& thread(unsigned index) { return *thread_slots_[index]; }
  [[nodiscard]] const unsigned* address_of_thread_count() const { return &threads_; }
  [[nodiscard]] Thread* const* addresses_of_threads() const { return thread_slots_; }
  [[nodiscard]] const Candidate* candidates() const;
  [[nodiscard]] const Object& clock() const;
  [[nodiscard]] bool is_clock(const Object& object) const;
  /// The clock as the current thread last saw it, to compute how long a wait may last. The clock itself is
  /// not used: reading it is a step, and what a wait does must be the same in all executions of a class.
  [[nodiscard]] std::int64_t virtual_now() const { return current->seen_clock; }
  /// The clock itself.
  [[nodiscard]] std::int64_t virtual_time() const { return now_; }
  /// Whether `serial` is that of the running execution, so that the threads it created are still valid.
  [[nodiscard]] bool is_current_execution(Life serial) const { return serial == life; }
  /// A word that changes with every operation, including those while threads are being ended, and with
  /// first_touches.
  [[nodiscard]] std::uint64_t progress() const {
    return (static_cast<std::uint64_t>(life) + position + hash.low + ending_operations_ + first_touches) *
               256 +
           live_;
  }
  /// Whether the address lies in memory that the runtime keeps for threads and for the log, outside its
  /// static data.
  [[nodiscard]] bool keeps(std::uintptr_t address) const;

  /// A short name of the thread or object for messages. It is specific while recording and general otherwise.
  [[nodiscard]] std::string describe(const Thread& thread) const;
  [[nodiscard]] std::string describe(const Object& object) const;
};

}  // namespace hocket::runtime
