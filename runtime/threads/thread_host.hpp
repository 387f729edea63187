// What an execution has around it when the program's code was not written for Hocket: its threads use the
// C++ library's and the system's own means, so each logical thread needs what an OS thread has.
//
// The runtime only says when. The library for instrumented code registers its host in Execution::host before
// the first execution.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace hocket::runtime {

struct ExecutionOptions;
struct Object;
struct Thread;

class ThreadHost {
 public:
  virtual ~ThreadHost() = default;

  /// A search is about to begin, or is over.
  virtual void begin_search() = 0;
  /// Whether executions since the last call, or the beginning of the search, have shown that atomics overlap
  /// of which that was not known. Then they were taken for objects of their own, and what is known of those
  /// executions does not fit that of later ones.
  virtual bool found_overlaps() = 0;
  /// How many threads the system has in this process that are neither the one that searches nor made for a
  /// search: nobody controls them.
  virtual unsigned uncontrolled_threads() = 0;

  /// From now on, or no longer, each SIGSEGV comes to faulted() first: memory may be made read-only to learn
  /// who writes to it.
  virtual void catch_faults(bool are_caught) = 0;
  /// In the signal's handler, for a write to `address`. Returns whether it will succeed when it is repeated.
  virtual bool faulted(void* address) = 0;

  /// Calls `search`, in which child processes can be made: it runs on another stack, which they share with
  /// this process like everything else that Hocket keeps. When a child ends by itself `ended` is called with
  /// its status, as waitpid() gives it, and does not return.
  virtual void share_with_children(const std::function<void()>& search, void (*ended)(int status)) = 0;
  /// What follows happens in a child process, which is made for an execution with these options; until
  /// end_child(), from which on it is this process again. Only what Hocket keeps is then as the child left
  /// it.
  virtual void begin_child(const ExecutionOptions& options) = 0;
  virtual void end_child() = 0;

  /// An execution is about to begin; called on the OS thread's own stack.
  virtual void begin() = 0;
  /// It is over, and the same stack runs again. None of its threads will ever run again.
  virtual void end() = 0;

  /// The word that platform::os_thread_id() shall give while the thread with that index runs: the address of
  /// a thread control block, which is its alone.
  virtual std::uintptr_t control_block(unsigned index) = 0;

  /// Calls `visit(begin, end)` for all memory but the body's own blocks in which a pointer to such a block
  /// keeps it from being lost. When the execution is over; threads that have not ended may be left.
  virtual void for_each_root(const std::function<void(std::uintptr_t, std::uintptr_t)>& visit) = 0;

  /// From now on `object` is in order in this execution: one that a face has made, or that lives outside.
  virtual void made(const Object& object) = 0;
  /// Whether the memory that holds `object` begins each execution as it was when the search began.
  virtual bool puts_back(const Object& object) = 0;

  /// What lies at `object` has a name. Only while recording.
  virtual void name(const void* object, std::string_view name) = 0;

  /// The address of the program's memory that `object` stands for; 0: it stands for none.
  virtual std::uintptr_t memory_of(const Object& object) = 0;
  /// Where the stack of the thread with that index shall end if it can; nullptr: anywhere.
  virtual void* top_of_stack(unsigned index) = 0;

  /// `thread` will run next for the first time in this execution.
  virtual void created(Thread& thread) = 0;
  /// It runs now, and has returned from its function.
  virtual void returned(Thread& thread) = 0;
};

}  // namespace hocket::runtime
