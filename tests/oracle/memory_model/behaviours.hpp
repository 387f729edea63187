// What a program can do under a memory model. The answer is plain text, so that it can be
// compared with that of another implementation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tests/oracle/programs/program.hpp"

namespace hocket::memory_model {

/// The values of registers and atomics at the end, such as "r0=0 r1=1 x=2 y=0". Registers that no instruction
/// sets are left out, and locations that none writes.
std::string outcome_text(const oracle::Program& program,
    std::span<const oracle::Frame, oracle::kMostThreads> threads,
    std::span<const std::int8_t, oracle::kMostObjects> memory);

struct Behaviours {
  std::set<std::string> complete;  ///< graphs of executions that all threads end
  std::set<std::string> stuck;     ///< graphs of executions in which some thread waits for ever
  std::set<std::string> outcomes;  ///< of complete executions
  bool has_race = false;           ///< then the program means nothing, and the other members not much
  std::size_t states = 0;          ///< that were looked at
  bool is_incomplete = false;      ///< there are more states than allowed
};

/// Whether some outcome has all the values in `values`, for example "r0=0 x=1".
bool shows(const Behaviours& behaviours, std::string_view values);

}  // namespace hocket::memory_model
