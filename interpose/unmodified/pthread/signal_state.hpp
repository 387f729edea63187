// The state of signals in an execution: the mask of each thread, and what has been sent and not yet taken.
// Each access to it is a step.
//
// A thread that sends a signal writes the pending ones and then reads masks. A thread that unblocks a signal
// writes its mask and then reads the pending ones. So at least one of the two sees what the other has done.
#pragma once

#include <algorithm>
#include <array>
#include <csignal>
#include <vector>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/objects/object.hpp"
#include "../../../runtime/terms/operation.hpp"
#include "../../../runtime/threads/thread.hpp"
#include "signal_sets.hpp"

namespace hocket::unmodified::signals {

/// The signal mask of a thread. Only that thread changes it; threads that send signals read it.
struct Mask : runtime::Object {
  explicit Mask(runtime::FoundAt place);

  SignalSet blocked = 0;
  bool is_unblocking = false;  ///< the thread is about to check what has been sent to it
};

/// The signals that have been sent and not yet taken, and which thread waits for which signals.
struct Delivery : runtime::Object {
  explicit Delivery(runtime::FoundAt place);

  /// A set of pending signals. Real-time signals are queued once for each time they are sent.
  struct Pending {
    SignalSet set = 0;
    std::vector<int> more;

    void add(int number) {
      const SignalSet bit = bit_of(number);
      if ((set & bit) != 0 && number >= SIGRTMIN) {
        const runtime::OwnMemory own;
        more.push_back(number);
      }
      set |= bit;
    }
    void take(int number) {
      const auto again = std::find(more.begin(), more.end(), number);
      if (again != more.end()) {
        more.erase(again);
      } else {
        set &= ~bit_of(number);
      }
    }
    [[nodiscard]] bool has(int number) const { return (set & bit_of(number)) != 0; }
  };
  struct ToThread {
    Pending pending;
    SignalSet waited_for = 0;
  };
  std::array<ToThread, runtime::kMaxThreads> to{};
  Pending to_process;

  [[nodiscard]] SignalSet pending_for(unsigned thread) const {
    return to[thread].pending.set | to_process.set;
  }
  /// Removes and returns the lowest signal of `set` that is pending for the thread, or returns 0.
  int take(unsigned thread, SignalSet set) {
    const SignalSet there = pending_for(thread) & set;
    if (there == 0) return 0;
    const int taken = first_of(there);
    Pending& from = to[thread].pending.has(taken) ? to[thread].pending : to_process;
    from.take(taken);
    return taken;
  }
};

Mask& mask_of(const runtime::Thread& thread);
/// The mask of the thread that runs.
Mask& my_mask();
Delivery& delivery();

/// Steps of the thread that runs. They return whether the execution continues.
[[nodiscard]] bool change(Mask& mask);
[[nodiscard]] bool look_at(runtime::Object& object);
[[nodiscard]] bool add_to(Delivery& delivery);
[[nodiscard]] bool take_from(Delivery& delivery);

/// Records which signal the step is about.
void note(int number);

}  // namespace hocket::unmodified::signals
