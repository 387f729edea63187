// The state of signals in an execution: the mask of each thread, and what has been sent and not yet taken.
// Each access to it is a step.
//
// A thread that sends a signal writes the pending ones and then reads masks. A thread that unblocks a signal
// writes its mask and then reads the pending ones. So at least one of the two sees what the other has done.
#pragma once

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>
#include <vector>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/objects/object.hpp"
#include "../../../runtime/terms/operation.hpp"
#include "../../../runtime/terms/sabotage.hpp"
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
      const bool merges = number < SIGRTMIN || runtime::is_sabotaged(runtime::Sabotage::signals_merge);
      if ((set & bit) != 0 && !merges) {
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
  /// Whether a thread waits for one of `set`, and for no other one that has come already.
  [[nodiscard]] bool is_awaited(SignalSet set) const {
    for (unsigned thread = 0; thread < to.size(); ++thread) {
      const SignalSet awaited = to[thread].waited_for;
      if ((awaited & set) != 0 && (awaited & pending_for(thread)) == 0) return true;
    }
    return false;
  }
  /// Removes and returns a signal of `set` that is pending for the thread, or returns 0: as in Linux, one
  /// that was sent to the thread rather than to the process, and the lowest of those.
  int take(unsigned thread, SignalSet set) {
    std::array<Pending*, 2> sources{&to[thread].pending, &to_process};
    if (runtime::is_sabotaged(runtime::Sabotage::signals_of_processes_come_first))
      std::swap(sources[0], sources[1]);
    for (Pending* const from : sources) {
      if ((from->set & set) == 0) continue;
      const int taken = first_of(from->set & set);
      from->take(taken);
      return taken;
    }
    return 0;
  }
};

/// The threads that have sent a thread a signal, each with its time when it did so last.
struct Senders {
  struct Sender {
    const runtime::Thread* thread;
    runtime::Epoch epoch;
  };
  std::vector<Sender> all;

  void add(const runtime::Thread& sender);
};

Mask& mask_of(const runtime::Thread& thread);
Senders& senders_to(const runtime::Thread& thread);
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
