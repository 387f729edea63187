// All executions of a program that the axioms allow.
//
// Executions are built event by event: any thread's next event, with any write to read and any place among
// the writes of its location, is tried, and the axioms decide. All consistent executions are found so,
// because an axiom forbids cycles of program order, reads-from and the orders of locks and queues; so each
// execution has an order in which its events can be added, and each prefix is consistent if the whole is.
// Executions that were built before are not continued again.
//
// Limits: 64 events, first values among them.
#pragma once

#include "tests/oracle/memory_model/axioms.hpp"
#include "tests/oracle/memory_model/behaviours.hpp"

namespace hocket::memory_model {

Behaviours enumerate(const Program& program, const Rules& rules = {}, std::size_t most_states = 1'000'000);

}  // namespace hocket::memory_model
