// What the project claims of the search for data races, and the check of these claims for one program.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tests/oracle/event.hpp"
#include "tests/oracle/fuzzing.hpp"
#include "tests/oracle/program.hpp"

namespace hocket::oracle {

/// The result of a brute force over the schedules of a program: all of them are run one by one in the
/// abstract machine.
struct RaceAnswer {
  std::optional<unsigned> bound;  ///< the least price of a schedule up to a race; nothing if none races
  std::uint64_t executions = 0;
  bool is_incomplete = false;  ///< there are more executions than allowed
  std::set<std::pair<Event::Kind, std::memory_order>>
      done;  ///< loads, stores, updates and fences, in any of them
};
RaceAnswer races_of(const Program& program, std::uint64_t most_executions);

/// Checks program after program:
///  - An execution fails by a data race just when there is one by the definition, at the earliest access that
///    makes one, and tells of two accesses that race (retrace.hpp); under `random` and `icb`.
///  - Every strategy that claims to find every class finds a race if some schedule has one, and those that go
///    by bounds find it at the least bound.
///  - Where there is none, what such a strategy has noted to be weaker than seq_cst is what some schedule
///  does.
class RaceChecker {
 public:
  std::optional<std::string> contradiction(const Program& program);

  [[nodiscard]] std::uint64_t programs() const { return programs_; }
  [[nodiscard]] std::uint64_t racing() const { return racing_; }
  [[nodiscard]] std::string to_text() const;

 private:
  std::uint64_t programs_ = 0;
  std::uint64_t searched_ = 0;
  std::uint64_t racing_ = 0;
  std::uint64_t executions_ = 0;
};

/// The first of `programs` random programs from `seed` on that contradicts a claim, simplified.
std::optional<Counterexample> find_contradiction_about_races(
    RaceChecker& checker, std::uint64_t& seed, std::uint64_t programs);

}  // namespace hocket::oracle
