// Whether the steps of the machine come to all that the axioms allow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/oracle/memory_model/bounded_search.hpp"

namespace hocket::memory_model {

/// Compares machine and axioms on one program after another, and counts what they had to say.
class Agreement {
 public:
  explicit Agreement(const MachineRules& rules = {}) : rules_(rules) {}

  /// Describes a difference, if there is one: in complete graphs, stuck graphs or outcomes, or in whether
  /// there is a data race. A program with a race means nothing, so then only that is compared. Programs with
  /// more states than `kMostStates` are left out.
  std::optional<std::string> contradiction(const Program& program);

  struct Counts {
    std::uint64_t compared = 0;
    std::uint64_t too_large = 0;
    std::uint64_t with_a_race = 0;
    std::uint64_t stuck = 0;  ///< programs that can get stuck
    std::uint64_t graphs = 0;
    std::uint64_t weak_graphs = 0;  ///< that cost a stale choice
    std::uint64_t refused_choices = 0;
    [[nodiscard]] std::string to_text() const;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

  static constexpr std::size_t kMostStates = 6000;

 private:
  MachineRules rules_;
  Counts counts_;
};

/// Whether something happens in the order of a queue. Nothing ties it to that of seq_cst operations.
bool has_sleepers_or_notifications(const Program& program);

/// Describes how the executions without stale choices differ from the sequentially consistent ones: those of
/// the program with all orders raised, according to the axioms and to the machine. Says nothing of programs
/// with sleepers or notifications: on the machine without stale choices, the order of a queue and that of
/// seq_cst operations are both the order of the steps.
std::optional<std::string> contradiction_without_stale_choices(const Program& program);

}  // namespace hocket::memory_model
