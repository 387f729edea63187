// How an execution fails, is dropped, or ends for another reason: its threads are ended one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../terms/failure.hpp"
#include "../terms/where.hpp"
#include "fiber_switching.hpp"

namespace hocket::runtime {

/// Verdicts return, if at all, while the execution is being ended.
class Ending : public FiberSwitching {
 public:
  /// The execution has failed; ends the calling thread.
  void fail(FailureKind kind, const std::string& message, Where where);
  /// The execution has failed, but the thread runs on, as after EXPECT_EQ. Only the first failure counts.
  /// `signature` tells it from others; 0: its kind and place do.
  void note_failure(FailureKind kind, const std::string& message, Where where, std::uint64_t signature = 0);
  /// As fail(), from where no thread is to be ended: the caller goes on with another one.
  void give_up(FailureKind kind, const std::string& message, Where where, std::uint64_t signature = 0);
  /// The execution does not count; ends the calling thread.
  void drop();
  /// The body wants to be skipped, for this reason; the thread runs on. Kept until forget_skipping().
  void note_skipping(std::string_view reason, Where where);
  void forget_skipping();
  /// The execution has come to its end although threads are left. Only where there is a ThreadHost.
  /// `end_of_stack`: down to where the current thread's stack still means something; nullptr: to here.
  [[noreturn]] void end_with_all_threads(const void* end_of_stack);

  /// While the execution is being ended: ends `thread` before the current one goes on, which is about to
  /// destroy what it may use.
  void end_first(Thread& thread);
  /// Called by std::terminate on a fiber: records the failure unless one is known, and leaves the stack for
  /// ever.
  [[noreturn]] void terminated();

 protected:
  struct Cut {};  ///< thrown to unwind a fiber

  /// After a switch back: whether the execution goes on.
  bool resume() {
    if (ending) [[unlikely]]
      return resume_while_ending();
    return true;
  }
  bool resume_while_ending();
  void begin_ending(Outcome outcome);
  /// On a fiber while ending: unwinds the stack if that is possible here; otherwise returns and the thread
  /// runs on.
  void end_here();
  [[nodiscard]] Thread& next_to_end();
  [[noreturn]] void abandon(Thread& self);
  [[noreturn]] void abandon_all();
  [[nodiscard]] std::string describe_open_threads() const;
  [[nodiscard]] std::string last_operation(const Thread& thread, bool of_destructors = false) const;
};

}  // namespace hocket::runtime
