// Steps before which a thread is not preempted (preemption sealing: Ball, Burckhardt, Coons, Musuvathi and
// Qadeer 2010).
//
// A thread that has stopped before such a step goes on if it can, unless letting another one run instead is
// no preemption, as after a yield. Who asks for sealed steps says what they are.
#pragma once

namespace hocket::runtime {

class SealedSteps {
 public:
  virtual ~SealedSteps() = default;
  /// Whether the step before which the current thread is stopping is one. Called on its stack.
  [[nodiscard]] virtual bool include_next() = 0;

 protected:
  SealedSteps() = default;
  SealedSteps(const SealedSteps&) = default;
  SealedSteps& operator=(const SealedSteps&) = default;
};

}  // namespace hocket::runtime
