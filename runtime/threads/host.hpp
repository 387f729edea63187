// The environment of an execution whose code was not written for Hocket. Its threads use the facilities of
// the C++ library and the system directly, so each logical thread needs what an OS thread has.
//
// The runtime only says when each function is called. The library for instrumented code registers its host in
// Run::host before the first execution.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace hocket::runtime {

namespace platform {
struct Ending;
}

struct ExecutionOptions;
struct Object;
struct Thread;

/// Whether instrumented code has started a thread outside of bodies.
inline constinit std::atomic<bool> has_real_threads = false;

/// What begins and ends: searches, executions, and the child processes that some are made in.
class HostSearches {
 public:
  virtual ~HostSearches() = default;

  /// Called when a search begins or has ended.
  virtual void begin_search() = 0;
  /// Whether executions since the last call, or since the beginning of the search, have shown that atomics
  /// overlap that were not known to. Those executions treated them as separate objects, so what is known
  /// about them does not fit later executions.
  [[nodiscard]] virtual bool take_found_overlaps() = 0;
  /// Something of the system from before the search that a body has changed, and that was not put back.
  struct LeftChanged {
    const char* sort;  ///< "a socket"
    int descriptor;
    const void* code;  ///< the place that has changed it first
  };
  virtual const std::vector<LeftChanged>& left_changed() = 0;

  /// Called on the OS thread's own stack when an execution is about to begin.
  virtual void begin() = 0;
  /// Called on the same stack when the execution has ended. None of its threads will ever run again.
  virtual void end() = 0;

  /// Calls `search`, in which child processes can be made. It runs on another stack, which the children share
  /// with this process, like everything else that Hocket keeps. When a child ends by itself, `ended` is
  /// called, in memory that the child has not touched, and does not return.
  virtual void share_with_children(
      const std::function<void()>& search, void (*ended)(const platform::Ending& ending)) = 0;
  /// What follows happens in a child process made for an execution with these options, until end_child().
  /// After that it is this process again, and only what Hocket keeps is then as the child left it.
  virtual void begin_child(const ExecutionOptions& options) = 0;
  virtual void end_child() = 0;
};

/// The memory of the program, and the objects in it.
class HostMemory {
 public:
  virtual ~HostMemory() = default;

  /// `object` is valid in this execution from now on: it was made by a public type, or lives outside the
  /// body.
  virtual void made(const Object& object) = 0;
  /// Whether the memory that holds `object` is reset, at the beginning of each execution, to its contents
  /// when the search began.
  virtual bool puts_back(const Object& object) = 0;
  /// The address of the program's memory that `object` stands for, or 0 if it stands for none.
  virtual std::uintptr_t address_of(const Object& object) = 0;
  /// Names what lies at `object`. Only while recording.
  virtual void name(const void* object, std::string_view name) = 0;
  /// Calls `visit(begin, end)` for all memory, other than the body's own blocks, in which a pointer to such a
  /// block means that the block is not leaked. Called when the execution has ended; threads that have not
  /// ended may be left.
  virtual void for_each_root(const std::function<void(std::uintptr_t, std::uintptr_t)>& visit) = 0;

  /// Sets whether each SIGSEGV is passed to faulted() first: memory may be made read-only to learn which code
  /// writes to it.
  virtual void catch_faults(bool are_caught) = 0;
  /// Called in the signal handler for a write to `address`. Returns whether the write will succeed when it is
  /// repeated.
  virtual bool faulted(void* address) = 0;
};

class HostThreads {
 public:
  virtual ~HostThreads() = default;

  /// The value of platform::os_thread_id() while the thread with that index runs: the address of a thread
  /// control block that belongs to this thread alone.
  virtual std::uintptr_t control_block(unsigned index) = 0;
  /// The address where the stack of the thread with that index should end if possible; nullptr means
  /// anywhere.
  virtual void* top_of_stack(unsigned index) = 0;
  /// `thread` will run next, for the first time in this execution.
  virtual void created(Thread& thread) = 0;
  /// `thread`, which is running, has returned from its function.
  virtual void returned(Thread& thread) = 0;
  /// The number of threads in this process that are neither the searching thread nor made for a search. They
  /// are not controlled.
  virtual unsigned uncontrolled() = 0;
};

struct Host {
  HostSearches& searches;
  HostMemory& memory;
  HostThreads& threads;
};

}  // namespace hocket::runtime
