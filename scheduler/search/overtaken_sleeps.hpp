// Says which sleep of a failing execution has ended before one that would have ended earlier on a machine on
// which nothing else takes time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "../schedules/schedule.hpp"

namespace hocket {

struct EarlySleep {
  std::size_t at = 0;  ///< the choice at which it ends
  std::string text;    ///< a sentence
};

/// The last one before the failure. Of an execution without one: the last sleep that ended before another
/// thread went on that was not asleep: "main's sleep of 1 s (a.cpp:3) ended in step 1, before
/// thread 1's atomic.store of x in step 4." Asks for Trace::Choice::sleeps, so the schedule is one that was
/// recorded.
std::optional<EarlySleep> early_sleep(const Schedule& schedule);

}  // namespace hocket
