// Random programs, and smaller ones like a given one.
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "tests/oracle/program.hpp"

namespace hocket::oracle {

/// Programs of two to four threads that do something, small enough, mostly, for the brute force. They shrink.
rc::Gen<Program> programs();

/// Programs that are a little simpler than `program`, the simplest first.
std::vector<Program> simpler_than(const Program& program);

}  // namespace hocket::oracle
