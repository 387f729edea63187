// Fair scheduling: a thread that yields lets those threads run first that it has kept from running.
//
// After Musuvathi and Qadeer, "Fair Stateless Model Checking" (2008), Algorithm 1. A thread that yields
// indicates that it makes no progress. Suppose that since its last yield another thread did not run, although
// it was able to run the whole time or was held up by the yielding thread. Then the yielding thread is put
// behind that thread: it is to be held back while the other can run, until the other has run. So a loop that
// spins with a yield terminates, and a fair execution that does not terminate is a livelock.
//
// The paper leaves out all unfair executions, including ones that terminate, and a bug may need a thread that
// yields twice and then continues at once. Here a thread that is to be held back may run anyway, at the price
// of one additional preemption (scheduling.cpp). So no terminating execution is left out, and a search within
// a bound terminates. Only a search without prices leaves unfair steps out
// (ExecutionOptions::leaves_out_unfair), and it says so.
//
// Time must not be starved either. In other searches time passes only when no thread has useful work to do,
// and a thread that repeatedly locks a mutex, checks whether a time has come, and sleeps, seems to have some.
// Here time may pass as soon as every thread that can run has given way since it last passed. A sleep then
// moves the clock, or does not for one additional preemption (Mode::timeless). The timed wait that expires
// first counts as able to run, as does each that has already expired.
#pragma once

#include <vector>

#include "../terms/thread_set.hpp"
#include "../terms/where.hpp"

namespace hocket::runtime {

class Fairness {
 public:
  /// A new execution begins.
  void begin() {
    threads_.clear();
    gave_way_.clear();
    has_chosen_ = false;
  }

  /// Called at a choice. `able` are the threads that can run after the last step.
  void settle(const ThreadSet& able);

  /// The threads that are to be held back now, although they could run.
  [[nodiscard]] ThreadSet held_back(const ThreadSet& able) const;

  /// `thread` makes the next step. `yields` says whether that is a yield, a sleep or the expiry of a wait;
  /// `where` is its place.
  void chose(unsigned thread, bool yields, Where where);

  /// Where the thread, which is to be held back, last yielded. May be no place.
  [[nodiscard]] Where last_yield(unsigned thread) const { return threads_[thread].yielded_at; }

  /// Whether the thread has yielded since time last passed.
  [[nodiscard]] bool has_given_way(unsigned thread) const { return gave_way_.contains(thread); }
  void time_passed() { gave_way_.clear(); }

 private:
  /// What happened since a thread's last yield. Before the first yield, `held_up` and `ran` hold all threads,
  /// so that the first yield puts the thread behind none.
  struct Window {
    ThreadSet able = {};        ///< could have run the whole time
    ThreadSet held_up = all();  ///< could run before a step of the thread and not after it
    ThreadSet ran = all();
    ThreadSet behind = {};  ///< threads that the thread must let run first; not part of the window
    Where yielded_at{};
  };
  static ThreadSet all();
  Window& window(unsigned thread);

  std::vector<Window> threads_;
  ThreadSet gave_way_;  ///< since time last passed
  ThreadSet before_;    ///< able at the last choice
  unsigned chosen_ = 0;
  bool yields_ = false;
  bool has_chosen_ = false;
};

}  // namespace hocket::runtime
