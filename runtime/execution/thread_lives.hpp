// The lifetimes of logical threads: created, started, joined, detached, ended; and the fibers that they run
// on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../terms/inlined.hpp"
#include "../terms/where.hpp"
#include "blocking.hpp"

namespace hocket::runtime {

/// A fiber outlives an execution and picks up a new task in each one.
class ThreadLives : public Blocking {
 public:
  /// Creates a thread whose creator is the current one. The caller fills in its task and then calls start().
  /// Returns nullptr when the execution is being ended.
  Thread* create_thread(Where where);
  /// Runs the new thread up to its first operation.
  HOCKET_INLINED void start(Thread& thread) {
    thread.starter = current;
    thread.state = Thread::State::running;
    enabled.insert(thread.index);
    leave_fast_path();
    switch_to(thread);
    if (ending) [[unlikely]]
      end_here();
  }
  /// Waits until `thread` has ended.
  HOCKET_INLINED void join(Thread& thread, Where where) {
    ++handles_closed_;
    thread.handle = Thread::Handle::joined;
    if (thread.state != Thread::State::ended && !ending) {
      switch_to(stop_to_join(thread, where));
      current->joins = nullptr;
    } else if (attention != Attention::none) [[unlikely]] {
      joined_at_once(thread);
    }
    if (ending) [[unlikely]]
      join_while_ending(thread);
  }
  /// Called when no thread will join `thread`.
  void detach(Thread& thread, Where where);

  /// Called before a child process is made: gives each thread that has ever existed a stack of `bytes`.
  /// Returns how many there are.
  unsigned prepare_stacks(std::size_t bytes);
  /// Called after the child process: what it did on its stacks is gone, and so are the stacks of the threads
  /// from `index` on.
  void forget_stacks_from(unsigned index);

 protected:
  Thread& add_thread(Thread* creator, std::uint32_t ordinal);
  [[noreturn]] static void fiber_main();
  void caught_at_the_end(Thread& self);
  void explain_by_exception(const Thread& self, const std::string& exception);
  [[nodiscard]] Thread& finish_thread(Thread& self);
  Thread& prepare_slot(unsigned index);
  static void give_stack(Thread& thread, std::size_t bytes);
  [[nodiscard]] Thread& stop_to_join(Thread& thread, Where where);
  void joined_at_once(const Thread& thread);
  void join_while_ending(Thread& thread);
};

}  // namespace hocket::runtime
