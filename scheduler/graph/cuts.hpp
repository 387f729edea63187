// The states of a recorded execution, and which threads are enabled at each.
//
// A state is a set of events that is closed under happens-before: a *cut*. It is represented by the number of
// events that each thread has completed. All that is asked about a cut follows from the recording, without
// running the program: the operation that a thread is stopped before depends only on the thread's own past,
// and the state of an object only on the number of its writes in the cut. What an operation needs comes from
// its row in semantics.hpp, as in the runtime.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "../../runtime/terms/sabotage.hpp"
#include "../../runtime/terms/semantics.hpp"
#include "../../runtime/terms/thread_set.hpp"
#include "recording.hpp"

namespace hocket::graph {

/// The number of events of each thread, indexed by thread in this execution; Recording::width() entries.
using Cut = const EventCount*;

inline constexpr unsigned kImpossible = 255;  ///< the price of what cannot happen

/// Which threads can run at a cut, and how.
struct Enabled {
  unsigned chooser = kNobody;  ///< the thread at a choice of values; no other thread can run then
  runtime::ThreadSet runnable;
  runtime::ThreadSet expirable;
  runtime::ThreadSet wakable;
  runtime::ThreadSet futile;     ///< runnable, at a yield that would change nothing
  runtime::ThreadSet forbidden;  ///< runnable and not to be preempted; empty at a choice of values
  bool somebody_is_useful = false;

  /// The only thread that can run after a step of `last`, because it must not be preempted, or kNobody. What
  /// can follow depends on this. So a cut with such threads stands for several states: one for each of these
  /// threads coming last, and one for any other thread coming last.
  [[nodiscard]] unsigned kept_running(unsigned last) const {
    // If no thread has made a step yet, the state is the same as after a step of the body's own thread.
    const unsigned runs = last == kNobody ? 0 : last;
    const bool is_kept =
        forbidden.contains(runs) && !runtime::is_sabotaged(runtime::Sabotage::guards_make_no_states);
    return is_kept ? runs : kNobody;
  }
};

/// Something that can happen next at a cut.
struct Successor {
  unsigned thread;
  bool is_value;  ///< a choice of `value`, inside a step; otherwise a step in `mode`
  runtime::Mode mode;
  std::uint32_t value;
};

class Cuts {
 public:
  /// `recording` must outlive the cuts, which follow it as it grows.
  explicit Cuts(const Recording& recording) : recording_(recording) {}

  [[nodiscard]] const Recording& recording() const { return recording_; }
  /// The cut of everything that has happened so far.
  [[nodiscard]] Cut top() const { return recording_.completed(); }
  [[nodiscard]] runtime::ClassHash hash(Cut cut) const;
  /// A nonzero checksum of what the threads are about to do, and of who is at a choice of values. A
  /// deterministic body has the same checksum whenever it reaches this state.
  [[nodiscard]] std::uint16_t check(Cut cut, unsigned chooser) const;

  // -- Threads at a cut

  [[nodiscard]] Enabled enabled(Cut cut) const;
  /// The last event of `thread` in the cut, which must contain one.
  [[nodiscard]] const Event& last_event(Cut cut, unsigned thread) const {
    assert(cut[thread] != 0 && cut[thread] <= top()[thread]);
    return recording_.thread(thread).events[cut[thread] - 1];
  }
  /// What `thread` is stopped before, which must be something.
  [[nodiscard]] const NextEvent& next(Cut cut, unsigned thread) const {
    assert(recording_.thread(thread).next_after(cut[thread]) != nullptr);
    return recording_.thread(thread).next[cut[thread]];
  }
  /// Whether the last step of `thread` in the cut was a yield or a sleep, after which a switch costs nothing.
  [[nodiscard]] bool has_just_yielded(Cut cut, unsigned thread) const;
  /// Whether a poll or an await holds the thread back, since nothing that it had read has changed.
  [[nodiscard]] bool is_held_by_guard(Cut cut, const NextStep& step) const;
  /// The object that the thread is stopped before.
  [[nodiscard]] std::uint32_t object(Cut cut, const NextEvent& next) const;
  /// The threads that wait for a notification of the object, by name.
  [[nodiscard]] std::vector<unsigned> waiters(Cut cut, std::uint32_t object) const;

  // -- Objects at a cut

  /// How many writes of the object the cut contains.
  [[nodiscard]] std::uint32_t version(Cut cut, std::uint32_t object) const;
  /// Whether the object has been destroyed.
  [[nodiscard]] bool is_gone(Cut cut, std::uint32_t object) const;
  /// Whether the atomic holds the value that the pending compare-exchange expects.
  [[nodiscard]] bool holds_expected(Cut cut, const NextEvent& next) const;
  /// Whether the object that `thread` is stopped before can be taken by it.
  [[nodiscard]] bool can_take(Cut cut, const NextEvent& next, runtime::Need need, unsigned thread) const;
  /// Whether the wait that the thread is enqueued for has been notified.
  [[nodiscard]] bool is_woken(Cut cut, const NextEvent& next) const;
  /// The object at which the thread waits.
  [[nodiscard]] static std::uint32_t awaited(Cut cut, const Recording::Wait& wait);

  // -- Prices

  /// Whether it costs a preemption to go on with another thread after a step of `last`.
  [[nodiscard]] bool counts_as_preempted(Cut cut, const Enabled& enabled, unsigned last) const;
  /// The price of `next` at a cut at which nobody is kept running, if the thread that came last can go on
  /// free of charge; kImpossible if it cannot happen.
  [[nodiscard]] unsigned price(Cut cut, const Enabled& enabled, const Successor& next) const;

 private:
  struct StateAtCut;

  /// What `thread` is stopped before at the cut, or nullptr: also if something that must have happened for
  /// the thread to be there is not in the cut.
  [[nodiscard]] const NextEvent* next_if_there(Cut cut, unsigned thread) const;
  /// Takes out of `now` the threads whose wait is late, unless its time has come.
  void hold_late_waits(Cut cut, Enabled& now) const;
  [[nodiscard]] bool can_complete(Cut cut, const NextEvent& next, unsigned thread) const;
  /// Whether nothing that the thread had read when it stopped has changed.
  [[nodiscard]] bool is_unchanged(Cut cut, const NextStep& step) const;
  [[nodiscard]] std::uint64_t state(Cut cut, std::uint32_t object) const;
  [[nodiscard]] std::uint64_t sections(Cut cut, std::uint32_t lock) const;

  const Recording& recording_;
};

}  // namespace hocket::graph
