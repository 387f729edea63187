// A schedule in words: which thread is preempted where, and which goes on.
#pragma once

#include <cstddef>
#include <string>

#include "schedule.hpp"

namespace hocket {

/// The preemptions of the schedule up to its failure, one sentence in a line each: "thread 1 is preempted
/// after step 4, mutex.unlock of log at job_queue.cpp:39; main goes on.", and below it, unless `with_reasons`
/// is false, what happens without it, as far as it is known. Without preemptions, the order in which the
/// threads run. Then the older values that operations read under the C++ memory model, likewise. Only the
/// last few of many. Lines of source are cut at `width` columns, if that is not 0. Empty if the schedule has
/// no steps; otherwise it ends with '\n'.
std::string in_words(const Schedule& schedule, bool with_reasons = true, unsigned width = 0);

/// A line that says what compiling with -g would add, if the program was built without debug information and
/// the schedule has objects; else empty.
std::string note_on_names(const Schedule& schedule);

/// How many operations read an older value than the newest, or store one that is not the newest.
std::size_t stale_choices(const Schedule& schedule);
/// How many of them store.
std::size_t early_stores(const Schedule& schedule);

}  // namespace hocket
