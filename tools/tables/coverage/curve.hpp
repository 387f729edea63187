// Curves: the number of distinct states that a strategy has visited after a number of executions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "samples/sample_program.hpp"

namespace coverage {

struct Point {
  std::uint64_t executions;
  std::uint64_t states;
};

struct Curve {
  std::string strategy;
  std::vector<Point> points;   ///< ever farther apart, the first and the last execution among them
  bool is_everything = false;  ///< there was nothing left to run
};

/// Runs the program under at most `executions` schedules of the strategy called `name`, without a last bound.
Curve curve_of(const samples::SampleProgram& program, const std::string& name, std::uint64_t executions);

/// Throws std::invalid_argument, which lists the strategies, if there is no such strategy.
void check_strategy(const std::string& strategy);

}  // namespace coverage
