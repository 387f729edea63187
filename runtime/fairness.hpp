// Fair scheduling: a thread that yields lets those go first that it has kept from running.
//
// After Musuvathi and Qadeer, "Fair Stateless Model Checking" (2008), Algorithm 1. A thread that yields says
// that it makes no progress. If, since its last yield, another thread was able to run the whole time, or was
// held up by it, and did not run, then the one that yields is put behind that other: it does not run while
// the other can, until the other has run. So a loop that spins with a yield comes to an end, and an execution
// that does not come to one although it is fair is a livelock.
#pragma once

#include <vector>

#include <hocket/runtime/thread_set.hpp>

namespace hocket::runtime {

class Fairness {
 public:
  /// A new execution begins.
  void begin() {
    threads_.clear();
    has_chosen_ = false;
  }

  /// At a choice: `enabled` is what the last step has led to.
  void settle(const ThreadSet& enabled);

  /// Who must wait now, although it could go on.
  [[nodiscard]] ThreadSet held_back(const ThreadSet& enabled) const;

  /// `thread` makes the next step. `yields`: that is a yield, a sleep or the expiry of a wait.
  void chose(unsigned thread, bool yields, const ThreadSet& enabled);

 private:
  /// Since a thread's last yield. Before the first one the last two hold everybody, so that it puts the
  /// thread behind nobody.
  struct Window {
    ThreadSet able = {};        ///< could have run the whole time
    ThreadSet held_up = all();  ///< could go on before a step of the thread and not after
    ThreadSet ran = all();
    ThreadSet behind = {};  ///< whom the thread has to let go first; not of the window
  };
  static ThreadSet all();
  Window& window(unsigned thread);

  std::vector<Window> threads_;
  ThreadSet before_;  ///< enabled at the last choice
  unsigned chosen_ = 0;
  bool yields_ = false;
  bool has_chosen_ = false;
};

}  // namespace hocket::runtime
