// The functions that a test body in C++14 or C++17 calls. They do the same as those of
// interpose/types/body.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>

#include "namespace.hpp"

namespace hocket {

HOCKET_OLDER namespace older {
  /// If `condition` is false, the execution fails with `message`, which is copied, and ends there. Outside
  /// any body a failed check prints the message and aborts.
  void check(bool condition, const char* message = "check failed", const char* file = __builtin_FILE(),
      unsigned line = __builtin_LINE());

  /// If `condition` is false, drops the execution: it is not counted.
  void assume(bool condition);

  /// Returns a value from 0 to `count` - 1; the search tries each of them. `count` is at most 4096. Outside
  /// any body the function returns 0.
  std::uint32_t choose(
      std::uint32_t count, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE());

  void name_address(const void* object, const char* name);
  /// Sets the name under which schedules and reports show `object`.
  template <class Object>
  void name(const Object& object, const char* name) {
    name_address(std::addressof(object), name);
  }
  /// Names the calling thread.
  void name_this_thread(const char* name);

  /// Whether the calling thread is one of a body.
  bool is_in_body();

  /// What await() does before, between and after the calls of its predicate.
  class Awaiting {
   public:
    Awaiting();
    ~Awaiting();
    Awaiting(const Awaiting&) = delete;
    Awaiting& operator=(const Awaiting&) = delete;
    /// Blocks until something that the predicate read has changed. Returns false if the execution is over.
    bool change(const char* file, unsigned line);
  };

  /// Blocks until `predicate()` returns true. The predicate is evaluated again whenever another thread has
  /// changed something that it read.
  template <class Predicate>
  void await(Predicate predicate, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    if (!is_in_body()) {
      while (!predicate()) std::this_thread::yield();
      return;
    }
    Awaiting awaiting;
    while (!predicate() && awaiting.change(file, line)) {
    }
  }

  /// While an object of this class exists, the scheduler switches away from its thread only where the thread
  /// blocks.
  class no_preemption {
   public:
    no_preemption();
    ~no_preemption();
    no_preemption(const no_preemption&) = delete;
    no_preemption& operator=(const no_preemption&) = delete;
  };

  /// Marks the code for which an object of this class exists as a block that is to be atomic.
  class atomic_block {
   public:
    explicit atomic_block(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE());
    ~atomic_block();
    atomic_block(const atomic_block&) = delete;
    atomic_block& operator=(const atomic_block&) = delete;
  };

}  // namespace older

}  // namespace hocket
