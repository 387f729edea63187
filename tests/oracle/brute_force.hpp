// The brute force: every state of a program that some schedule reaches, and for every happens-before class
// the least price of an execution that belongs to it.
//
// Dynamic programming over the number of steps. A state is identified by the actions made so far, all of
// them, compared as data; beside it stand, for each thread that may have made the last step, the numbers of
// schedules that lead there, by price.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tests/oracle/machine.hpp"

namespace hocket::oracle {

/// The classes of a program, each with its bound.
using Classes = std::map<Class, unsigned>;

struct Answer {
  Classes complete;  ///< all threads ended
  Classes deadlocked;
  std::map<CheckPlace, unsigned> failed;  ///< each check that can fail, and the least price for it to
  /// By price: how many schedules there are, with those that end in a deadlock or are cut short.
  std::vector<std::uint64_t> executions;
  std::size_t states = 0;
  bool is_incomplete = false;  ///< there are more states than allowed; the rest says nothing

  /// Classes whose bound is at most 0, 1, …, up to the total.
  [[nodiscard]] static std::vector<std::uint64_t> cumulative(const Classes& classes);
};

Answer enumerate(const Program& program, std::size_t most_states);

}  // namespace hocket::oracle
