// One execution: the logical threads, which of them may run, and the choice points between their steps.
//
// There is one Execution in a process and it is plain global data, because the path that every controlled
// operation takes must cost a few nanoseconds: compare a position, write one log entry, add one action to the
// class hash. Everything that is not that path is out of line. What that path reads is `run` (run.hpp).
//
// An Execution consists of parts. Each has its own data, and its constructor names the other parts that it
// may use and so change; besides, each may use `run` and the cold state. In the order in which they build on
// each other:
//  - ThreadTable        the threads by index
//  - Pace               which path the next steps take, and the limit of steps
//  - VirtualTime        how late it is
//  - Verdict            failures, and how an execution that cannot continue ends
//  - ObjectLives        which objects are valid
//  - RaceChecks         plain data and what orders accesses to it
//  - Actions            what steps add to the class hash, and what is notified of them
//  - EnabledThreads     which threads could take a step
//  - Awaiting           threads that wait for a change
//  - StuckThreads       deadlocks and the step limit
//  - Retries            loops that change something in each round, and yield after each
//  - Scheduling         which thread runs next
//  - StoreChoices       atomic operations that may read an older value
//  - Blocking           operations that wait
//  - ThreadLives        how threads begin and end
// What the public interface uses of them is in step.hpp, with which an operation begins. Beside it are
// locking.hpp (mutexes and semaphores), misuse.hpp, end_checks.hpp, allocations.hpp. fibers.hpp has the
// switch to another thread; recording.hpp names objects and notes values; trace.hpp has the recorded
// execution.
//
// The functions of the parts are called on a logical thread's fiber, between the beginning and the end of
// run_body(). Those that return bool return false when the execution is being ended; the caller must then
// leave the modelled state alone.
#pragma once

#include <cstdint>
#include <functional>

#include "../objects/object.hpp"
#include "../platform/os_thread.hpp"
#include "../races/weaker_orders.hpp"
#include "../terms/choice.hpp"
#include "../terms/failure.hpp"
#include "../terms/where.hpp"
#include "blocking.hpp"
#include "execution_options.hpp"
#include "execution_result.hpp"
#include "recording.hpp"
#include "retries.hpp"
#include "run.hpp"
#include "step.hpp"
#include "thread_lives.hpp"

namespace hocket::runtime {

class Execution {
 public:
  /// Runs `body` once as the first logical thread, together with all the threads that it creates. `chooser`
  /// decides. Must be called from outside any execution, and always from the same OS thread during one
  /// search.
  ExecutionResult run_body(
      const std::function<void()>& body, Chooser& chooser, const ExecutionOptions& options);

  /// Forgets the outside objects of the last search, and what it has met. Called where a search begins and
  /// ends.
  void forget_search();

  /// Writes the logs of the following executions to `memory`, or to the original place if it is nullptr. Used
  /// for executions in child processes.
  void write_log_to(void* memory);

  /// Keeps `run` in memory that this process shares with others, of sizeof(Run) bytes from the beginning of a
  /// page. Its address stays the same. Returns false where the system cannot do that. To be called between
  /// executions.
  [[nodiscard]] static bool move_run_to(void* memory);
  /// Keeps it in memory of its own again.
  static void move_run_back();

  // -- What can be seen of an execution, for messages and reports, for strategies that read pending
  // operations,
  //    for the crash handler and for debuggers

  /// What went wrong, if the outcome of the last run was Outcome::failed.
  [[nodiscard]] static const Failure& failure();
  /// The data race, if the last execution failed because of one.
  [[nodiscard]] const Race& race() const;
  /// The request of the body to be skipped, or nullptr.
  [[nodiscard]] static const Skipping* skipping();
  /// The operations in this search that asked for a memory order weaker than seq_cst. Slow.
  [[nodiscard]] static WeakerOperations weaker_operations(bool kept_stores);
  /// Whether there has been no execution yet.
  [[nodiscard]] static bool is_untouched() { return run.cold == nullptr; }

  [[nodiscard]] unsigned thread_count() const { return threads.count(); }
  [[nodiscard]] Thread& thread(unsigned index) const { return threads[index]; }
  [[nodiscard]] static const Candidate* candidates();
  [[nodiscard]] static bool is_clock(const Object& object) { return &object == &clock_object(); }
  /// A word that changes with every operation, including those while threads are being ended, and with
  /// first_touches.
  [[nodiscard]] std::uint64_t progress() const {
    return (static_cast<std::uint64_t>(run.life) + run.position + run.hash.low + verdict.ending_operations() +
               run.first_touches) *
               256 +
           threads.live();
  }
  /// Whether the address lies in memory that the runtime keeps for threads and for the log, outside its
  /// static data.
  [[nodiscard]] bool keeps(std::uintptr_t address) const;

  /// For the rest of the runtime: the state that is not plain data (cold_state.hpp).
  [[nodiscard]] ColdState& cold_state() {
    if (run.cold == nullptr) [[unlikely]]
      make_cold_state();
    return *run.cold;
  }

  // -- The parts

  ThreadTable threads;
  Pace pace;
  VirtualTime time;
  Verdict verdict{threads, pace};
  ObjectLives objects{threads, verdict};
  RaceChecks races{threads, verdict, objects};
  Actions actions{races};
  EnabledThreads enabled_threads{threads, pace, time};
  Awaiting awaiting{enabled_threads, time, verdict};
  StuckThreads stuck_threads{threads, pace, time, verdict};
  Retries retries{pace};
  Scheduling scheduling{threads, pace, time, verdict, objects, enabled_threads, awaiting, stuck_threads};
  StoreChoices stores{threads, pace, races, actions, scheduling};
  Blocking blocking{threads, time, verdict, objects, actions, enabled_threads, scheduling, stores};
  ThreadLives lives{threads, pace, verdict, races, scheduling};

 private:
  /// What an execution begins with, before its first thread runs.
  void begin(const std::function<void()>& body, Chooser& chooser, const ExecutionOptions& options);
  [[nodiscard]] ExecutionResult end();
  void make_cold_state();
  friend void step::destroy(Object& object, Where where);
  /// Other threads may have the object in what they wait for or have read.
  [[gnu::noinline]] void forget_uses_of(const Object& object, Where where);
  void forget_reads_of(const Object& object);
  void keep_remains_of(const Object& object);
};

extern constinit Execution execution;

/// The OS thread on which a search runs, or 0. Set by the search.
extern constinit std::uintptr_t searching_os_thread;

/// The real standard error of the process. Set by a search that redirects the body's output.
extern constinit volatile int real_stderr;

}  // namespace hocket::runtime
