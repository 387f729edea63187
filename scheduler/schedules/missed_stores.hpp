// Two threads that miss each other's stores, which no order of their steps explains: the cycle of Dekker's
// lock with weak memory orders.
#pragma once

#include <string>

#include "schedule.hpp"

namespace hocket {

/// "Each misses the other's store: thread 1 stores to x in step 1 and then reads y in step 2, without what
/// thread 2 stores there in step 3; thread 2 then reads x in step 4, without that of step 1.\n" Empty if
/// there is no such cycle, or the schedule is too long to look for one.
std::string missed_stores_text(const Schedule& schedule);

}  // namespace hocket
