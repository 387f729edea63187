// The steps of an execution that may have to wait, and those that had to.
#pragma once

#include "runtime/execution/step.hpp"
#include "runtime/terms/thread_set.hpp"

#include "tools/tables/measure/listener.hpp"

namespace measure {

/// Starts counting anew in each execution that it observes. Waiting in join is not a step and does not count.
class WaitCounter final : public Listener {
 public:
  /// Steps whose operation takes a lock or a semaphore, and second halves of waits.
  [[nodiscard]] unsigned may_wait() const { return may_wait_; }
  /// Steps whose thread was not enabled at some choice point between its stop before the step and the step.
  [[nodiscard]] unsigned had_to_wait() const { return had_to_wait_; }

  void begin(const hocket::runtime::Thread& first) override;
  void chose_thread(const hocket::runtime::Thread& chosen, hocket::runtime::Mode mode) override;

 private:
  unsigned may_wait_ = 0;
  unsigned had_to_wait_ = 0;
  hocket::runtime::ThreadSet have_waited_;  ///< before the step that they have not made yet
};

}  // namespace measure
