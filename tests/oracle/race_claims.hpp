// What the project claims of the search for data races, and the check of these claims for one program.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tests/oracle/event.hpp"
#include "tests/oracle/programs/program.hpp"

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

/// Checks the following claims for one program after another:
///  - An execution fails by a data race if and only if the definition finds one, at the earliest access that
///    makes one, and the report names two accesses that race (retrace.hpp). Checked under `random` and `icb`.
///  - Every strategy that claims to find every class finds a race if some schedule has one; a strategy that
///    goes by bounds finds it at the least bound.
///  - If there is no race, the operations that such a strategy has noted as weaker than seq_cst are those
///    that some schedule performs.
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

}  // namespace hocket::oracle
