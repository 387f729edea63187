// The last steps of an execution that has nearly reached the step limit: what they repeat, and at whose
// expense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../objects/object.hpp"
#include "../terms/choice.hpp"
#include "../terms/operation.hpp"
#include "../terms/semantics.hpp"
#include "../terms/thread_set.hpp"

namespace hocket::runtime {

class LastSteps {
 public:
  static constexpr std::uint32_t kMost = 1024;  ///< steps that are looked at

  /// Which steps of an execution to look at: those from this position on.
  static std::uint32_t first(std::uint32_t max_steps) {
    return max_steps - (max_steps / 2 < kMost ? max_steps / 2 : kMost);
  }

  void clear() { steps_.clear(); }

  /// `thread` is about to do `operation`, `able` are those who could go on, and the clock shows `now`.
  void note(unsigned thread, Operation operation, Mode mode, const Object* object, const ThreadSet& able,
      std::int64_t now);

  enum class Kind : std::uint8_t {
    long_execution,  ///< the steps differ: the limit may be too low
    livelock,        ///< a round of steps comes again and again; everybody who can go on has its turn in it
    spin,            ///< the same, by threads that do not yield while others could go on
    unfair,          ///< threads yield while others could go on and are not let
  };

  struct Diagnosis {
    Kind kind = Kind::long_execution;
    std::uint32_t round = 0;  ///< steps of the round that is repeated, or 0
    ThreadSet repeating;      ///< who makes them
    ThreadSet spinning;       ///< of those, who never yields
    ThreadSet starved;        ///< could go on and did not
    bool somebody_sleeps = false;
    bool somebody_looks_at_clock = false;
    bool time_passes = false;
  };
  [[nodiscard]] Diagnosis diagnose() const;

 private:
  struct Step {
    const Object* object;
    std::uint64_t found;  ///< what the step finds: a fingerprint of its object, or the time
    ThreadSet able;
    std::int64_t now;
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

  std::vector<Step> steps_;
};

/// Whether a thread that goes on in this way lets others go first when the search is fair.
constexpr bool gives_way(Operation operation, Mode mode) {
  return is_yield(operation) || mode != Mode::run;
}

}  // namespace hocket::runtime
