// Whether x86 processors can do what a schedule does: a question about reads of older values.
//
// Their memory model is total store order (Owens, Sarkar, Sewell: A Better x86 Memory Model: x86-TSO, TPHOLs
// 2009): a store may wait in a buffer while later loads of its thread are done, and everything else is done
// in order. It is assumed that loads, and stores weaker than seq_cst, are plain instructions, and that
// everything else is locked or fenced, as compilers do it.
#pragma once

#include <optional>
#include <string>

#include "schedule.hpp"

namespace hocket {

/// Empty if the schedule is too long to say. Schedule::fences must be known, which a file does not have.
std::optional<bool> total_store_order_allows(const Schedule& schedule);

/// Schedule::hardware
std::string hardware_that_does(const Schedule& schedule);

}  // namespace hocket
