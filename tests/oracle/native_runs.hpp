// Programs that run on OS threads: whatever they show there, the abstract machine must allow. This test needs
// neither the runtime nor a model of it, so it checks whether the machine is right about the standard
// library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/oracle/brute_force.hpp"
#include "tests/oracle/programs/program.hpp"
#include "tests/oracle/real_body.hpp"

namespace hocket::oracle {

/// The program without guards against preemption, which OS threads do not have. Every operation is seq_cst,
/// because the machine treats it so.
Program for_threads_of_the_system(Program program);

/// Whether the program ends on OS threads under every schedule. `answer` is the brute force's answer for the
/// program.
bool always_ends(const Program& program, const Answer& answer);

/// Whether some execution of the machine shows each thread what it has seen. Returns nothing if that would
/// take more than `most_states` states.
std::optional<bool> allows(const Program& program, const ObservationsByThread& seen, std::size_t most_states);

/// Runs programs on OS threads, and counts what came out.
struct NativeRuns {
  unsigned runs = 30;                       ///< of each program
  std::size_t most_states = 1500;           ///< passes over programs that have more
  std::size_t most_states_alike = 100'000;  ///< gives up looking for an execution that shows the same
  std::uint64_t programs = 0;               ///< that were run
  std::uint64_t outcomes = 0;               ///< distinct ones, summed over the programs
  std::uint64_t unknown = 0;                ///< outcomes for which it gave up

  /// What the program has shown and the machine does not allow. Programs that may not end are not run.
  std::optional<std::string> contradiction(const Program& generated);
};

}  // namespace hocket::oracle
