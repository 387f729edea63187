// Scheduling points: a thread stops before an operation, and the chooser says which thread runs next.
//
// A step takes one of three paths, all with the same outcome. Fast path (step::arrive): the strategy need not
// be consulted here and the current thread is enabled, so it keeps running. Common path (choose_next): the
// candidates are the enabled threads. Slow path (choose_on_slow_path): nothing is assumed.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>

#include "../terms/choice.hpp"
#include "../terms/inlined.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"
#include "actions.hpp"
#include "awaiting.hpp"
#include "enabled_threads.hpp"
#include "fibers.hpp"
#include "object_lives.hpp"
#include "step.hpp"
#include "stuck_threads.hpp"

namespace hocket::runtime {

class Scheduling {
 public:
  constexpr Scheduling(const ThreadTable& threads, Pace& pace, const VirtualTime& time, Verdict& verdict,
      ObjectLives& objects, EnabledThreads& enabled_threads, Awaiting& awaiting, StuckThreads& stuck_threads)
      : threads_(threads),
        pace_(pace),
        time_(time),
        verdict_(verdict),
        objects_(objects),
        enabled_threads_(enabled_threads),
        awaiting_(awaiting),
        stuck_threads_(stuck_threads) {}

  /// Another execution begins.
  void begin() { so_far_ = {run.log, nullptr, 0}; }
  void begin_search() { met_ = {}; }

  /// The outcome of `hocket::choose(count)`.
  std::uint32_t choose(std::uint32_t count, Where where);
  /// Whether a weak compare-exchange that could succeed fails spuriously.
  [[nodiscard]] bool fails_spuriously(Where where);
  /// Whether a loop that polls for long is to come to its end before any other thread runs.
  [[nodiscard]] bool polls_to_its_end(Where where);
  /// The code that called the first operation in this search before which a polling loop was made to yield
  /// although it changes something in each round; or nullptr. Schedules in which that loop polls more often
  /// cost more.
  [[nodiscard]] const void* priced_poll() const { return met_.priced_poll; }
  void note_priced_poll(const void* code) {
    if (met_.priced_poll == nullptr) met_.priced_poll = code;
  }
  /// The code of the first look at the clock in this search at which time passed although the loop it is in
  /// changes something in each round; or nullptr. Executions in which time stands still longer are left out.
  [[nodiscard]] const void* passing_time() const { return met_.passing_time; }
  void note_passing_time(const void* code) {
    if (met_.passing_time == nullptr) met_.passing_time = code;
  }
  /// The first code in this search that failed to take a lock held by a call of std::lock, if some attempts
  /// of such calls were not to be interrupted (StandardLock); or nullptr.
  [[nodiscard]] const void* met_attempt() const { return met_.has_lone_attempts ? met_.attempt : nullptr; }
  void note_lone_attempt() { met_.has_lone_attempts = true; }
  void note_met_attempt(const void* code) {
    if (met_.attempt == nullptr) met_.attempt = code;
  }

  /// Between the two calls, which may be nested, the current thread is preempted only where it blocks.
  void forbid_preemption();
  void allow_preemption();

  // -- For the other parts of Execution

  // Functions that every step calls are static, because they would only carry the object's address in a
  // register that they need. What they need is in `run`.

  /// step::stop_before() where the pending operation and the sets are up to date.
  [[gnu::noinline]] Thread& after_stop(Thread& self);
  /// Stops the current thread, whose pending operation and sets are up to date, and returns when it is the
  /// thread's turn, or false when the execution is being ended.
  [[nodiscard]] bool stop_here(Thread& self) {
    switch_to(after_stop(self));
    return step::resume();
  }
  /// Stops the current thread before `operation`, which cannot be done yet.
  [[nodiscard]] static bool stop_until_enabled(Object& object, Operation operation, Where where) {
    switch_to(step::stop_before(object, operation, false, where));
    return step::resume();
  }
  [[nodiscard]] static Thread& choose_next();
  [[nodiscard]] std::uint32_t choose_value(
      Operation operation, std::uint32_t count, std::uint16_t price, Where where);
  /// The thread goes on: it leaves all sets of waiting threads.
  static Thread& set_going(Thread& next, Mode mode) {
    assert(next.state != Thread::State::ended);
    next.state = Thread::State::running;
    next.mode = mode;
    if (next.is_in_a_set) [[unlikely]]
      return take_out_of_sets(next);
    return next;
  }
  /// The step that the current thread has just made was a yield: whichever thread goes on, that costs
  /// nothing.
  static void has_yielded() {
    run.last_yielded = true;
    Pace::leave_fast_path();
  }

 private:
  /// Facts of a search.
  struct Met {
    const void* priced_poll = nullptr;
    const void* passing_time = nullptr;
    const void* attempt = nullptr;
    bool has_lone_attempts = false;
  };
  /// What a choice among all threads is made from.
  struct Situation;

  /// The end of step::stop_before() there; not inlined, so that the common path needs no frame.
  friend Thread& step::stop_before(Object& object, Operation operation, bool ready, Where where);
  [[nodiscard, gnu::noinline]] Thread& stop_on_slow_path(Thread& self, bool ready);
  /// stop_on_slow_path() before an operation of a retry.
  [[nodiscard, gnu::noinline]] Thread& stop_in_retry(Thread& self);
  /// The current thread, which has stopped before an operation, yields first.
  void yield_in_retry(Thread& self);
  [[nodiscard, gnu::noinline]] Thread& choose_on_slow_path();
  [[nodiscard, gnu::noinline]] Thread& consult();
  [[nodiscard]] bool is_only_observed() const;
  [[nodiscard]] Thread& choose_observed();
  [[nodiscard, gnu::cold]] bool runs_out(Code code);
  [[nodiscard, gnu::noinline]] static Thread& draw_from_many();
  [[nodiscard, gnu::noinline]] Thread& step_by_least_named();
  static Thread& take_out_of_sets(Thread& thread);
  static LogEntry& write_entry(unsigned chosen);
  static Thread& step_by(unsigned chosen);
  [[nodiscard]] std::optional<Code> choose_among_all(LogEntry& entry);
  [[nodiscard]] Situation situation();
  void list_candidates(const Situation& now);
  void list_timeless(unsigned thread, unsigned price);
  [[nodiscard]] std::optional<Code> default_of(const Situation& now) const;
  [[nodiscard]] std::optional<Code> ask(LogEntry& entry, std::uint32_t first, Code by_default);
  void note_priced_yield(unsigned thread, bool is_at_it);

  const ThreadTable& threads_;
  Pace& pace_;
  const VirtualTime& time_;
  Verdict& verdict_;
  ObjectLives& objects_;
  EnabledThreads& enabled_threads_;
  Awaiting& awaiting_;
  StuckThreads& stuck_threads_;
  ChoiceLog so_far_;  ///< as the chooser sees it
  Met met_;
};

}  // namespace hocket::runtime
