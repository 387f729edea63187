// Follows an execution of the real runtime through the abstract machine, choice by choice.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "runtime/execution/execution.hpp"

#include "tests/oracle/happens_before.hpp"
#include "tests/oracle/machine.hpp"
#include "tests/oracle/real_body.hpp"

namespace hocket::oracle {

/// Thrown when the runtime and the abstract machine disagree; the message says where.
struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Retraced {
  Class actions;       ///< the class of the execution
  unsigned price = 0;  ///< of its choices together
  bool is_deadlocked = false;
  Cut cut = Cut::none;
  bool left_out_sealed = false;  ///< seals kept a thread from being preempted
  CheckPlace failed;             ///< set if a check cut the execution short
  History history;               ///< filled for programs with plain data
  std::array<std::uint8_t, kMostThreads> in_order_of_start{};
};

/// Makes the choices of `result` in the machine. At each choice both must have the same candidates at the
/// same prices. At the end every instruction must have had the same result, in the same order. The execution
/// must fail by a data race if and only if the definition finds one, and where it first finds one. Throws
/// Mismatch. For `without_unfair` see Machine::candidates.
Retraced retrace(const Program& program, const runtime::ExecutionResult& result,
    const std::vector<Observation>& observed, bool without_unfair = false);

}  // namespace hocket::oracle
