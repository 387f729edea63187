// What can go wrong in an execution.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "where.hpp"

namespace hocket::runtime {

enum class FailureKind : std::uint8_t {
  check,       ///< hocket::check was given false
  assertion,   ///< a failed assertion of the test framework
  exception,   ///< an exception left a thread or the body
  deadlock,    ///< no thread can continue
  step_limit,  ///< the execution has too many steps and does not repeat them: the limit is too low
  livelock,    ///< the threads repeat the same steps for ever, although each gets its turn
  spin,        ///< a thread repeats the same steps for ever without yielding, and so blocks the others
  misuse,  ///< an object used against its rules: unlocked by a thread that does not hold it, destroyed while
           ///< locked …
  use_after_destruction,  ///< an operation on an object whose life has ended
  joinable_destroyed,     ///< a thread object destroyed before join or detach
  atomicity,              ///< other threads came between the operations of a block that is to be atomic
  data_race,              ///< two threads access plain data, one of them writes, and nothing orders them
  heap_error,             ///< an access to heap memory that is freed or not allocated, or a wrong free
  use_after_return,       ///< an access to a local variable of a function that has returned
  leak,                   ///< something is left over at the end: a thread not joined, a lock held, memory
  terminate,              ///< std::terminate was called
  signal,                 ///< the process got SIGSEGV, SIGABRT, …
  stack_overflow,         ///< a logical thread ran into the guard below its stack
  exit,                   ///< the body ended the process: exit(), _exit() and the like
  stuck,                  ///< a thread has run for long without reaching an operation
};

/// The kind as files and reports print it, for example "deadlock".
std::string_view to_string(FailureKind kind);

/// Whether a failure of this kind ends its process.
constexpr bool is_death(FailureKind kind) {
  return kind == FailureKind::signal || kind == FailureKind::stack_overflow || kind == FailureKind::exit ||
         kind == FailureKind::stuck;
}

/// Finds the kind with that printed name. Returns false if there is none.
bool from_string(std::string_view name, FailureKind& kind);

/// A call stack that explains a failure.
struct FailureStack {
  /// Where a lock was taken is left out if the thread waits in the same function, which comes next.
  enum class Of : std::uint8_t { failure, lock, wait };
  std::string title;                      ///< "The write by thread 1, in step 3"
  std::vector<std::uintptr_t> addresses;  ///< as platform::calling_stack() returns them
  Of of = Of::failure;
};

/// The first thing that went wrong in an execution.
struct Failure {
  FailureKind kind = FailureKind::check;
  std::string message;                 ///< one or more sentences; each line except the last ends with '\n'
  Where where{};                       ///< line 0 if no line is known
  std::uint32_t position = 0;          ///< number of choices made before it
  unsigned thread = 0;                 ///< index of the thread it happened in
  std::uint64_t signature = 0;         ///< equal for failures that a person would consider the same
  std::vector<FailureStack> stacks{};  ///< empty unless the execution was recorded
};

}  // namespace hocket::runtime
