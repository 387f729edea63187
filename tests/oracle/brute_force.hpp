// The brute force computes every state of a program that some schedule reaches, and for every happens-before
// class the least price of an execution in it.
//
// It is dynamic programming over the number of steps. A state is identified by the actions made so far, all
// of which are compared as data. Each state has, for each thread that may have made the last step, the
// numbers of schedules that lead to it, by price.
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
  std::map<CheckPlace, unsigned> failed;  ///< each check that can fail, with the least price at which it does
  /// The numbers of schedules by price, including those that end in a deadlock or are cut short.
  std::vector<std::uint64_t> executions;
  std::size_t states = 0;
  bool is_incomplete = false;  ///< there are more states than allowed; the other members mean nothing

  /// The numbers of classes whose bound is at most 0, 1, …; the last number is the total.
  [[nodiscard]] static std::vector<std::uint64_t> cumulative(const Classes& classes);
};

Answer enumerate(const Program& program, std::size_t most_states);

}  // namespace hocket::oracle
