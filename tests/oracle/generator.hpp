// Random programs, and the simpler variants of a given program.
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "tests/oracle/program.hpp"

namespace hocket::oracle {

/// Programs of two to four threads that do something meaningful and are mostly small enough for the brute
/// force. They shrink.
rc::Gen<Program> programs();

/// Programs of two to five threads with short code, dense in what reductions treat specially: chosen values,
/// chains of creation, permits and notifications from threads that begin late, waits that expire, guards.
/// They shrink.
rc::Gen<Program> dense_programs();

/// The same programs with seals before many of their steps. They shrink.
rc::Gen<Program> sealed_programs();

/// Programs of two or three threads that share plain data and mostly do something to order the accesses. They
/// shrink.
rc::Gen<Program> programs_with_plain_data();

/// Programs that are a little simpler than `program`, the simplest first.
std::vector<Program> simpler_than(const Program& program);

}  // namespace hocket::oracle
