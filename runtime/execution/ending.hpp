// How an execution fails, is dropped, or ends for another reason. Its threads are ended one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../terms/failure.hpp"
#include "../terms/where.hpp"
#include "fiber_switching.hpp"

namespace hocket::runtime {

/// Functions that set the verdict return, if at all, while the execution is being ended.
class Ending : public FiberSwitching {
 public:
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
  void note_skipping(std::string_view reason, Where where);
  void forget_skipping();
  /// Ends the execution although threads are left. Used only where there is a ThreadHost. The current
  /// thread's stack is valid down to `end_of_stack`; nullptr means down to this call.
  [[noreturn]] void end_with_all_threads(const void* end_of_stack);

  /// While the execution is being ended: ends `thread` before the current thread continues, because the
  /// current thread is about to destroy something that `thread` may use.
  void end_first(Thread& thread);
  /// Called by std::terminate on a fiber. Records the failure unless one is already known, and leaves the
  /// stack for good.
  [[noreturn]] void terminated();

 protected:
  struct Cut {};  ///< thrown to unwind a fiber

  /// Called after switching back to this thread: whether the execution is still running.
  bool resume() {
    if (ending) [[unlikely]]
      return resume_while_ending();
    return true;
  }
  bool resume_while_ending();
  void begin_ending(Outcome outcome);
  /// What follows is known, so the execution is over, with Outcome::pruned. Returns whether its threads run
  /// on to their ends by the default schedule; if not, call begin_ending().
  bool run_out();
  /// Called on a fiber while ending. Unwinds the stack if that is possible here; otherwise returns, and the
  /// thread keeps running.
  void end_here();
  /// The part of end_here() that does not unwind.
  void end_later();
  /// Sets the verdict.
  void settle(Outcome outcome);
  [[nodiscard]] Thread& next_to_end();
  [[noreturn]] void abandon(Thread& self);
  [[noreturn]] void abandon_all();
  [[nodiscard]] std::string describe_open_threads() const;
  [[nodiscard]] std::string last_operation(const Thread& thread, bool of_destructors = false) const;
};

}  // namespace hocket::runtime
