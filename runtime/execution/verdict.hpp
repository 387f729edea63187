// How an execution fails, is dropped, or ends for another reason. Its threads are ended one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../terms/failure.hpp"
#include "../terms/where.hpp"
#include "execution_result.hpp"
#include "fibers.hpp"
#include "pace.hpp"
#include "thread_table.hpp"

namespace hocket::runtime {

/// A request of the body to be skipped.
struct Skipping {
  std::string reason;
  Where where{};
};

/// Functions that set the verdict return, if at all, while the execution is being ended.
class Verdict {
 public:
  constexpr Verdict(ThreadTable& threads, Pace& pace) : threads_(threads), pace_(pace) {}

  /// Another execution begins.
  void begin() { of_execution_ = {}; }
  void begin_search() { passes_over_failures_ = false; }

  /// Ends the execution at its next step, with Outcome::interrupted, if its options allow that. To be called
  /// from a signal handler, also while no execution runs.
  void interrupt();

  /// Marks the execution as failed and ends the calling thread.
  void fail(FailureKind kind, const std::string& message, Where where);
  /// The same for a destructor, which must not throw. It returns, and the thread ends at its next operation.
  void fail_in_destructor(FailureKind kind, const std::string& message, Where where);
  /// Marks the execution as failed, but the thread keeps running, as after EXPECT_EQ. Only the first failure
  /// counts. `signature` distinguishes the failure from others; if it is 0, the kind and the place do.
  void note_failure(FailureKind kind, const std::string& message, Where where, std::uint64_t signature = 0);
  /// Like fail(), for places where no thread is to be ended: the caller continues with another thread.
  void give_up(FailureKind kind, const std::string& message, Where where, std::uint64_t signature = 0);
  /// Discards the execution, so that it does not count, and ends the calling thread.
  void drop();
  /// Notes that the body asks to be skipped, and why. The thread keeps running. The note is kept until
  /// forget_skipping().
  static void note_skipping(std::string_view reason, Where where);
  static void forget_skipping();
  /// Ends the execution although threads are left. Used only where there is a Host. The current
  /// thread's stack is valid down to `end_of_stack`; nullptr means down to this call.
  [[noreturn]] void end_with_all_threads(const void* end_of_stack);

  /// While the execution is being ended: ends `thread` before the current thread continues, because the
  /// current thread is about to destroy something that `thread` may use.
  void end_first(Thread& thread);
  /// Called by std::terminate on a fiber. Records the failure unless one is already known, and leaves the
  /// stack for good.
  [[noreturn]] void terminated();

  // -- What is known

  /// Whether failure() belongs to the running execution.
  [[nodiscard]] bool has_failed() const { return of_execution_.outcome == Outcome::failed; }
  [[nodiscard]] bool is_open() const { return of_execution_.outcome == Outcome::completed; }
  /// Whether the threads of the running execution were stopped before it came to an end of its own.
  [[nodiscard]] bool is_cut_short() const {
    return run.ending && of_execution_.outcome != Outcome::completed;
  }
  [[nodiscard]] bool is_interrupted() const { return of_execution_.is_interrupted; }
  /// Whether an execution of this search was dropped because it hit a failure whose detector is off.
  [[nodiscard]] bool passes_over_failures() const { return passes_over_failures_; }
  /// Operations while threads are being ended.
  [[nodiscard]] std::uint32_t ending_operations() const { return of_execution_.ending_operations; }
  [[nodiscard]] Outcome outcome() const { return of_execution_.outcome; }
  /// Whether a thread's stack could be neither unwound nor run to its end.
  [[nodiscard]] bool has_abandoned() const { return of_execution_.abandoned; }
  /// How many threads the execution left waiting, because it ended with its body.
  [[nodiscard]] unsigned left_waiting() const { return of_execution_.left_waiting; }
  [[nodiscard]] bool failed_running_out() const { return of_execution_.failed_running_out; }
  /// How far the execution got, and its hash there, without what its threads did while they were ended.
  [[nodiscard]] std::uint32_t end_position() const {
    return run.verdict_is_final() ? of_execution_.end_position : run.position;
  }
  [[nodiscard]] ClassHash end_hash() const {
    return run.verdict_is_final() ? of_execution_.end_hash : run.hash;
  }

  // -- For the other parts of Execution

  struct Cut {};  ///< thrown to unwind a fiber

  void begin_ending(Outcome outcome);
  /// The body has ended, and only detached threads are left, which wait: so the execution is complete.
  void end_with_body();
  /// A signal to the search ends the execution, also while it looks again.
  void end_interrupted();
  /// The same between two steps. Ends the calling thread.
  void end_interrupted_here();
  /// Ends the threads of an execution that is running out. Its verdict stays as it is; `has_failed` says
  /// whether a thread has failed since.
  void stop_running_out(bool has_failed);
  /// What follows is known, so the execution is over, with Outcome::pruned. Returns whether its threads run
  /// on to their ends by the default schedule; if not, call begin_ending().
  [[nodiscard]] bool run_out();
  /// The execution has reached the limit of steps and seems to go on for ever. It goes on, under schedules by
  /// chance, to see whether it can end; if it does, the outcome is Outcome::unfair, and otherwise the failure
  /// `first`. What fails on the way is beyond the limit of steps. Returns false if it cannot go on.
  [[nodiscard]] bool look_again(FailureKind first);
  [[nodiscard]] bool is_looking_again() const { return of_execution_.is_looking_again; }
  /// It has not ended: the failure is that of the first look.
  void give_up_after_all(Where where);
  /// Called on a fiber while ending. Unwinds the stack if that is possible here; otherwise returns, and the
  /// thread keeps running.
  void end_here();
  [[nodiscard]] Thread& next_to_end();
  [[noreturn]] void abandon(Thread& self);
  /// A thread whose exception destroyed the handle of a joinable thread during unwinding has failed because
  /// of that. The exception is the reason.
  void explain_by_exception(const Thread& self, const std::string& exception) const;

 private:
  struct OfThisExecution {
    Outcome outcome = Outcome::completed;
    bool abandoned = false;
    bool is_interrupted = false;
    bool is_looking_again = false;    ///< look_again() was called
    FailureKind first_look{};         ///< with this
    bool failed_running_out = false;  ///< Run::running_out, and a thread has failed
    unsigned left_waiting = 0;
    std::uint32_t ending_operations = 0;
    std::uint32_t end_position = 0;
    ClassHash end_hash;
  };

  /// The part of end_here() that does not unwind.
  void end_later();
  /// Nobody is notified of what follows the verdict.
  void drop_observer();
  /// Sets the verdict.
  void settle(Outcome outcome);
  [[noreturn]] void abandon_all();
  [[nodiscard]] std::string describe_open_threads() const;

  ThreadTable& threads_;
  Pace& pace_;
  OfThisExecution of_execution_;
  bool passes_over_failures_ = false;  ///< in this search
};

/// "; its last operation was mutex.lock on the queue at queue.cpp:7", or empty if that is not recorded. It is
/// needed because an exception knows where it was caught, not where it was thrown.
[[nodiscard]] std::string last_operation(const Thread& thread, bool of_destructors = false);

}  // namespace hocket::runtime
