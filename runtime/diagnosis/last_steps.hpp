// The last steps of an execution that has nearly reached the step limit: what they repeat, and which threads
// they starve.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../objects/object.hpp"
#include "../terms/choice.hpp"
#include "../terms/operation.hpp"
#include "../terms/retry_loops.hpp"
#include "../terms/semantics.hpp"
#include "../terms/thread_set.hpp"

namespace hocket::runtime {

struct Thread;

class LastSteps {
 public:
  static constexpr std::uint32_t kMost = 1024;  ///< number of steps that are examined

  /// The first position to examine.
  static std::uint32_t first(std::uint32_t max_steps) {
    return max_steps - (max_steps / 2 < kMost ? max_steps / 2 : kMost);
  }

  void clear() { steps_.clear(); }

  /// `thread` is about to do `operation`, `able` are the threads that could run, and the clock shows `now`.
  void note(const Thread& thread, Operation operation, Mode mode, const Object* object, const ThreadSet& able,
      std::int64_t now);

  enum class Kind : std::uint8_t {
    long_execution,  ///< the steps differ: the limit may be too low
    livelock,        ///< a round of steps repeats; every thread that can run has its turn in it
    spin,            ///< the same, by threads that do not yield while others could run
    unfair,          ///< threads yield while others could run and are not chosen
  };

  struct Diagnosis {
    Kind kind = Kind::long_execution;
    std::uint32_t round = 0;  ///< number of steps in the repeated round, or 0
    ThreadSet repeating;      ///< threads that make them
    ThreadSet spinning;       ///< of those, the threads that never yield
    ThreadSet starved;        ///< threads that could run and did not
    bool only_reads = false;  ///< the round does nothing else
    bool somebody_sleeps = false;
    bool somebody_looks_at_clock = false;
    bool time_passes = false;
  };
  [[nodiscard]] Diagnosis diagnose() const;

  /// The loop that a thread of instrumented code has run in half of the last steps, if it was one that could
  /// go on for ever while others could run: the code that called its operations, and the number of steps in a
  /// round.
  [[nodiscard]] RetryLoops retry_loop() const;

 private:
  struct Step {
    const Object* object;
    std::uint64_t found;  ///< what the step finds: its object's fingerprint, or the time
    ThreadSet able;
    std::int64_t now;
    const void* caller;  ///< InstrumentedThread::caller
    Where where;
    std::uint16_t thread;
    Operation operation;
    Mode mode;

    [[nodiscard]] bool is_like(const Step& other) const {
      return object == other.object && found == other.found && thread == other.thread &&
             operation == other.operation && mode == other.mode;
    }
    [[nodiscard]] bool yields() const;
  };

  [[nodiscard]] Diagnosis diagnose(std::size_t begin, std::size_t end) const;
  [[nodiscard]] std::size_t round(std::size_t begin, std::size_t end) const;
  [[nodiscard]] RetryLoops retry_loop(std::size_t begin, std::size_t end) const;

  std::vector<Step> steps_;
};

/// Whether a thread that continues in this way lets others run first when the search is fair.
constexpr bool gives_way(Operation operation, Mode mode) {
  return is_yield(operation) || mode != Mode::run;
}

}  // namespace hocket::runtime
