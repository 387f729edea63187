// One execution: the logical threads, which of them may run, and the choice points between their steps.
//
// There is one Execution in a process and it is plain global data (execution_state.hpp), because the path
// that every controlled operation takes must cost a few nanoseconds: compare a position, write one log entry,
// add one action to the class hash. Everything that is not that path is out of line.
//
// The operations on this data are in layers. Each layer is a class that knows those below it. From the
// lowest:
//  - ExecutionView      what can be seen of an execution from outside
//  - FiberSwitching     the switch to another thread
//  - Ending             failures, and how an execution that cannot continue ends
//  - Recording          names, values and accesses in a recorded execution
//  - ObjectLives        which objects are valid
//  - RaceChecks         plain data and what orders accesses to it
//  - Actions            what steps add to the class hash, and what is notified of them
//  - EnabledThreads     which threads could take a step
//  - Awaiting           threads that wait for a change
//  - StuckThreads       deadlocks and the step limit
//  - Scheduling         which thread runs next
//  - StoreChoices       atomic operations that may read an older value
//  - Blocking           operations that wait
//  - ThreadLives        how threads begin and end
// The parts that the public interface uses have headers of their own: locking.hpp (mutexes and semaphores),
// misuse.hpp, end_checks.hpp, allocations.hpp. trace.hpp has the recorded execution.
//
// All functions except run() are called on a logical thread's fiber, between the beginning and the end of
// run(). Those that return bool return false when the execution is being ended; the caller must then leave
// the modelled state alone.
#pragma once

#include <cstdint>
#include <functional>

#include "../objects/object.hpp"
#include "../platform/os_thread.hpp"
#include "../terms/choice.hpp"
#include "../terms/where.hpp"
#include "execution_options.hpp"
#include "execution_result.hpp"
#include "thread_lives.hpp"

namespace hocket::runtime {

class Execution : public ThreadLives {
 public:
  /// Runs `body` once as the first logical thread, together with all the threads that it creates. `chooser`
  /// decides. Must be called from outside any execution, and always from the same OS thread during one
  /// search.
  ExecutionResult run(const std::function<void()>& body, Chooser& chooser, const ExecutionOptions& options);

  /// The step that ends the life of `object`.
  void destroy(Object& object, Where where);

  /// Forgets the outside objects of the last search. Called at the beginning of a search.
  void forget_outside_objects();

  /// Writes the logs of the following executions to `memory`, or to the original place if it is nullptr. Used
  /// for executions in child processes.
  void write_log_to(void* memory);

  /// For the rest of the runtime: the state that is not plain data (cold_state.hpp).
  [[nodiscard]] ColdState& cold_state();

 private:
  void forget_reads_of(const Object& object);
  void leave_ghost_of(const Object& object);
};

extern constinit Execution execution;

inline Object::Object(const ObjectKind& the_kind, FoundAt place)
    : life(execution.life), key(place.key), kind(&the_kind), version(0), outsider(0), clocks(0) {}
inline Object::Object(const ObjectKind& the_kind, Where where)
    : kind(&the_kind), version(0), outsider(0), clocks(0) {
  execution.construct(*this, where);
}

/// Whether the calling code runs under control: on the fiber of a logical thread.
[[gnu::always_inline]] inline bool is_controlled() {
  return platform::os_thread_id() == execution.os_thread;
}

/// Called for an operation of code that is not under control. If a search runs on another OS thread, its
/// objects must not be touched from here, so this ends the process with a clear message.
void outside_operation();

/// The OS thread on which a search runs, or 0. Set by the search.
extern constinit std::uintptr_t searching_os_thread;

/// The real standard error of the process. Set by a search that redirects the body's output.
extern constinit volatile int real_stderr;

}  // namespace hocket::runtime
