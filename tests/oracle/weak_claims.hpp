// What searches claim of programs about the memory model, checked against the machine with weak memory
// (memory_model/machine.hpp), which knows nothing of the runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/api/options.hpp"

#include "tests/oracle/memory_model/execution.hpp"

namespace hocket::memory_model {

struct WeakClaim {
  std::string name;
  hocket::Options options;
  bool has_stale_choices = false;  ///< otherwise all operations are sequentially consistent
  bool has_bounds = true;          ///< otherwise it searches everything
};

/// The strategies that claim to find everything, under sequential consistency.
std::vector<WeakClaim> claims_of_sequential_consistency();

/// The strategies that claim to find everything that the C++ memory model allows.
std::vector<WeakClaim> claims_of_the_memory_model();

class WeakChecker {
 public:
  explicit WeakChecker(std::vector<WeakClaim> claims) : claims_(std::move(claims)) {}

  /// Runs searches of the program, up to the bound `kLastBound`. Returns a description of what contradicts
  /// one of these claims, or nothing:
  ///  - Up to each bound a search finds the outcomes that are within it, and no others. (No wait may have a
  ///    register, because std::atomic::wait does not tell what it has read.)
  ///  - It finds a deadlock if and only if one is within the bound, and a data race likewise.
  ///  - It counts as many classes as there are execution graphs; where all operations are sequentially
  ///    consistent only if nobody waits on an atomic or notifies one.
  ///    To use what has been destroyed is one, too.
  /// A program with a data race means nothing, so there only the race counts. Programs that are too large are
  /// passed over.
  std::optional<std::string> contradiction(const Program& program);

  [[nodiscard]] std::uint64_t programs() const { return programs_; }
  /// Those with a data race.
  [[nodiscard]] std::uint64_t racing() const { return racing_; }
  [[nodiscard]] std::string to_text() const;

  static constexpr unsigned kLastBound = 3;

 private:
  std::vector<WeakClaim> claims_;
  std::uint64_t programs_ = 0;
  std::uint64_t passed_over_ = 0;
  std::uint64_t racing_ = 0;
  std::uint64_t executions_ = 0;
};

}  // namespace hocket::memory_model
