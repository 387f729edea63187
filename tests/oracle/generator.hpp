// Random programs, and smaller ones like a given one.
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "tests/oracle/program.hpp"

namespace hocket::oracle {

/// Programs of two to four threads that do something, small enough, mostly, for the brute force. They shrink.
rc::Gen<Program> programs();

/// Programs of two or three threads that share plain data and do something to order it, mostly. They shrink.
rc::Gen<Program> programs_with_plain_data();

/// Programs that are a little simpler than `program`, the simplest first.
std::vector<Program> simpler_than(const Program& program);

}  // namespace hocket::oracle
