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

/// "Each misses the other's store: thread 1 stores to x in step 1 and then reads y in step 2, without what
/// thread 2 stores there in step 3; thread 2 then reads x in step 4, without that of step 1.\n" Empty if
/// there is no such cycle, or the schedule is too long to look for one.
std::string missed_stores_text(const Schedule& schedule);

}  // namespace hocket
