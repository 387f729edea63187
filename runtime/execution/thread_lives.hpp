// The lifetimes of logical threads: created, started, joined, detached, ended; and the fibers that they run
// on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../terms/inlined.hpp"
#include "../terms/where.hpp"
#include "scheduling.hpp"

namespace hocket::runtime {

/// A fiber outlives an execution and picks up a new task in each one.
class ThreadLives {
 public:
  constexpr ThreadLives(
      ThreadTable& threads, Pace& pace, Verdict& verdict, RaceChecks& races, Scheduling& scheduling)
      : threads_(threads), pace_(pace), verdict_(verdict), races_(races), scheduling_(scheduling) {}

  /// Creates a thread whose creator is the current one. The caller fills in its task and then calls start().
  /// Returns nullptr when the execution is being ended.
  Thread* create_thread(Where where);
  /// Runs the new thread up to its first operation.
  void start(Thread& thread);
  /// Waits until `thread` has ended.
  void join(Thread& thread, Where where);
  /// Called when no thread will join `thread`.
  void detach(Thread& thread, Where where);

  /// Called before a child process is made: gives each thread that has ever existed a stack of `bytes`.
  /// Returns how many there are.
  unsigned prepare_stacks(std::size_t bytes);
  /// Called after the child process: what it did on its stacks is gone, and so are the stacks of the threads
  /// from `index` on.
  void forget_stacks_from(unsigned index);

  /// Adds the next thread of this execution: the `ordinal`-th of its creator, or the body's own.
  Thread& add_thread(Thread* creator, std::uint32_t ordinal);

 private:
  [[noreturn]] static void fiber_main();
  void caught_at_the_end(Thread& self);
  [[nodiscard]] Thread& finish_thread(Thread& self);
  Thread& prepare_slot(unsigned index);
  static void give_stack(Thread& thread, std::size_t bytes);
  [[nodiscard]] Thread& stop_to_join(Thread& thread, Where where);
  void joined_at_once(const Thread& thread);
  void join_while_ending(Thread& thread);

  ThreadTable& threads_;
  Pace& pace_;
  Verdict& verdict_;
  RaceChecks& races_;
  Scheduling& scheduling_;
};

/// Begins to catch the exception that leaves the thread, if one is on its way: for std::terminate(), called
/// by a destructor that it has come to.
void catch_exception_that_leaves(const Thread& self);

}  // namespace hocket::runtime
