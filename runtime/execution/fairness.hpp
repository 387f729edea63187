// Fair scheduling: a thread that yields lets those go first that it has kept from running.
//
// After Musuvathi and Qadeer, "Fair Stateless Model Checking" (2008), Algorithm 1. A thread that yields says
// that it makes no progress. If, since its last yield, another thread was able to run the whole time, or was
// held up by it, and did not run, then the one that yields is put behind that other: it is to be held back
// while the other can go on, until the other has run. So a loop that spins with a yield comes to an end, and
// an execution that does not come to one although it is fair is a livelock.
//
// That paper leaves out whatever is not fair, and with it executions that come to an end: who yields twice
// and then goes on at once is a bug's way as any other. Here a thread that is to be held back may go on all
// the same, and that costs one preemption more (scheduling.cpp). Nothing that ends is left out then, and
// within a bound there is an end. Only a search that knows no prices leaves it out
// (ExecutionOptions::leaves_out_unfair), and says so.
//
// Time is not to be starved either. In other searches it passes only when nobody has anything useful to do,
// and a thread that looks under a mutex whether a time has come, and then sleeps, seems to have. Here it may
// pass as soon as everybody who can go on has given way since it last did: then a sleep moves the clock, or
// does not for one preemption more (Mode::timeless), and the timed wait that is over first counts as able to
// go on, as does each that is over already.
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

  /// At a choice: `able` are those who can go on after the last step.
  void settle(const ThreadSet& able);

  /// Who is to be held back now, although it could go on.
  [[nodiscard]] ThreadSet held_back(const ThreadSet& able) const;

  /// `thread` makes the next step. `yields`: that is a yield, a sleep or the expiry of a wait, there.
  void chose(unsigned thread, bool yields, Where where);

  /// Where the thread, which is to be held back, has yielded last; may be no place.
  [[nodiscard]] Where last_yield(unsigned thread) const { return threads_[thread].yielded_at; }

  /// Whether the thread has yielded since time last passed.
  [[nodiscard]] bool has_given_way(unsigned thread) const { return gave_way_.contains(thread); }
  void time_passed() { gave_way_.clear(); }

 private:
  /// Since a thread's last yield. Before the first one the last two hold everybody, so that it puts the
  /// thread behind nobody.
  struct Window {
    ThreadSet able = {};        ///< could have run the whole time
    ThreadSet held_up = all();  ///< could go on before a step of the thread and not after
    ThreadSet ran = all();
    ThreadSet behind = {};  ///< whom the thread is to let go first; not of the window
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
