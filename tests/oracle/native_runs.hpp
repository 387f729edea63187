// Programs on threads of the system: what they show there, the abstract machine must allow. This needs no
// runtime and no model of it, so it tells whether the machine is right about the standard library.
#pragma once

#include <cstddef>
#include <optional>

#include "tests/oracle/brute_force.hpp"
#include "tests/oracle/program.hpp"
#include "tests/oracle/real_body.hpp"

namespace hocket::oracle {

/// The program without what threads of the system do not have, guards against preemption; every operation is
/// seq_cst, as the machine takes it.
Program for_threads_of_the_system(Program program);

/// Whether the program comes to an end on threads of the system, however they run: `answer` is that of the
/// program.
bool always_ends(const Program& program, const Answer& answer);

/// Whether some execution of the machine shows each thread what it has seen. Nothing where that takes more
/// states.
std::optional<bool> allows(const Program& program, const ObservationsByThread& seen, std::size_t most_states);

}  // namespace hocket::oracle
