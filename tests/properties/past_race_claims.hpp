// What the project claims of searches that go past data races, and the check of these claims for one program.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "tests/oracle/programs/program.hpp"

namespace hocket::oracle {

/// Two accesses that race, each in a word, in alphabetical order: "atomic read and write".
using RaceInWords = std::string;

/// All that can go wrong in a program whose executions go on after data races.
struct Wrong {
  std::set<RaceInWords> races;
  bool deadlocks = false;
  bool fails = false;  ///< a check

  friend bool operator==(const Wrong&, const Wrong&) = default;
  [[nodiscard]] std::string to_text() const;
};

/// The result of a brute force over the schedules of a program. Nothing if there are more than
/// `most_executions`.
std::optional<Wrong> everything_wrong_with(const Program& program, std::uint64_t most_executions);

/// Checks for one program after another that a search which keeps going, with every strategy that claims to
/// find every class and with all preemptions, finds the same races, deadlocks and failed checks as the brute
/// force. Strategies that leave out orders of independent steps claim it only for programs in which no value
/// of plain data decides anything, because two accesses that race are not steps, and their order is not
/// explored.
class PastRaceChecker {
 public:
  std::optional<std::string> contradiction(const Program& program);

  [[nodiscard]] std::uint64_t racing() const { return racing_; }
  /// Programs that race and can also fail in another way.
  [[nodiscard]] std::uint64_t failing_behind_races() const { return behind_; }
  [[nodiscard]] std::string to_text() const;

 private:
  std::uint64_t programs_ = 0;
  std::uint64_t racing_ = 0;
  std::uint64_t behind_ = 0;
  std::uint64_t searches_ = 0;
};

}  // namespace hocket::oracle
