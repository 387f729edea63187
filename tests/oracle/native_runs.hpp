// Programs that run on OS threads: whatever they show there, the abstract machine must allow. This test needs
// neither the runtime nor a model of it, so it checks whether the machine is right about the standard
// library.
#pragma once

#include <cstddef>
#include <optional>

#include "tests/oracle/brute_force.hpp"
#include "tests/oracle/program.hpp"
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

}  // namespace hocket::oracle
