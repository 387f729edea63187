// An execution as it was recorded, for readers and for schedule files: plain data, which knows nothing of
// what records it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../terms/choice.hpp"
#include "../terms/operation.hpp"

namespace hocket::runtime {

/// A thread.
struct RecordedThread {
  std::string label;  ///< "main", "thread 1.2", or the name given to it
  int creator = -1;   ///< index among the threads, or -1 for the body's own thread
  std::uint32_t ordinal = 0;
  std::string made_at;           ///< "file.cpp:12", or empty
  std::uint32_t made_after = 0;  ///< so many choices had been made when it was created
  int joiner = -1;               ///< index among the threads of the thread that has joined it, or -1
  std::uint32_t joined_after = 0;

  /// What the thread waits for when the execution fails because it cannot continue or does not end.
  struct Waiting {
    std::string for_what;  ///< "lock", "semaphore", "notification", "change" or "end"; empty: nothing
    std::string object;    ///< the object's label, or empty
    std::vector<unsigned> threads;  ///< that hold the lock, or that it joins
    std::string where{};            ///< "file.cpp:12", or empty
  };
  Waiting waiting{};

  /// The access of the thread that is one of the two of a data race.
  struct Access {
    std::string what;         ///< "writes"; empty: it has none
    std::string object;       ///< the object's label
    std::string where;        ///< "file.cpp:12", or empty
    std::uint32_t after = 0;  ///< so many choices had been made
    unsigned number = 1;      ///< 2: the one that fails
    friend bool operator==(const Access&, const Access&) = default;
  };
  Access access{};
};

/// A step of a thread, or another choice that was made.
struct RecordedChoice {
  bool is_value = false;  ///< choose(n), a waiter, a spurious failure; otherwise a step
  unsigned thread =
      0;  ///< index among the threads: whose step this is, or at whose step the value was chosen
  Operation operation = Operation::none;
  std::string object;          ///< its label, which no other object has; or empty
  unsigned object_number = 0;  ///< identifies the object even if it is renamed; 0: none. Not saved
  Mode mode = Mode::run;
  Code code = 0;
  std::uint32_t count = 0;  ///< values to choose from
  std::string order;  ///< memory order of an atomic operation, if weaker ones than seq_cst count; or empty
  std::uint32_t price = 0;         ///< preemptions that this choice cost
  std::string where;               ///< "file.cpp:12", or empty
  std::string part_of;             ///< a function that consists of several steps: "latch.wait"; or empty
  std::vector<std::string> notes;  ///< what the step did: values, accesses to vars
  std::string lock;                ///< that a wait on a condition variable gives back; or empty
  bool is_left_out = false;        ///< a file has nothing of it but its code
  bool is_unwinding = false;       ///< made while an exception unwinds the stack; not saved
  std::int64_t sleeps = 0;         ///< nanoseconds that a sleep, or a wait that has expired, is meant to
                                   ///< last; not saved
  bool has_failed = false;         ///< a try or a compare-exchange that did not succeed; not saved

  /// A value that has been stored in an atomic.
  struct Stored {
    std::uint32_t step = 0;  ///< counted from 1; 0: the value that the atomic had at first
    std::string value;
    friend bool operator==(const Stored&, const Stored&) = default;
  };
  /// Under the C++ memory model: the value chooses which store the operation reads, or which one its own
  /// comes behind.
  bool chooses_store = false;
  Stored seen;    ///< that one
  Stored newest;  ///< the newest at that time

  /// What to call the operation.
  [[nodiscard]] std::string name() const {
    return part_of.empty() ? std::string(to_string(operation)) : part_of;
  }
};

/// A seq_cst fence. Fences are no steps.
struct RecordedFence {
  unsigned thread = 0;      ///< index among the threads
  std::size_t choices = 0;  ///< how many were made before it
};

}  // namespace hocket::runtime
