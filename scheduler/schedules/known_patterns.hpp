// Mistakes that have a name, found in a failing execution: the lost wake-up, ABA, use under construction.
// What is said of them is what the steps and their values show; where one of these is missing, nothing is
// said.
#pragma once

#include <string>

#include "schedule.hpp"

namespace hocket {

/// "thread 2 read stopping_ = false in step 25; main set it to true in step 27 without mutex_; thread 2
/// waited in step 29": a thread looked at an atomic before it waited, another thread changed it and notified
/// in between, and no notification has come since. Where what it waits for is plain data: "worker gave m back
/// in step 2; main notified wake in step 5, when no thread waited; worker waited in step 7." Empty if there
/// is no such thread.
std::string lost_wake_up(const Schedule& schedule);

/// "ABA: …": a compare-exchange has succeeded on a value that came back, and something else that its thread
/// has read since it saw that value is no longer so. Empty if there is none.
std::string value_that_came_back(const Schedule& schedule);

/// "If session.requests is part of what Session::Session constructs, …": one access of a data race, a write,
/// is made by a constructor. Empty if none is, or both are.
std::string use_under_construction(const Schedule& schedule);

}  // namespace hocket
