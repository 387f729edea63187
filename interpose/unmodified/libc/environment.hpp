// The environment of the process: each execution finds it as it was when the search began.
//
// libc keeps it in its own heap, and moves it when it grows. So while a search runs it lies in memory of
// ours, which stays: a variable of the program may be what points to it.
#pragma once

namespace hocket::unmodified {

/// Takes it over; at the beginning of a search.
void hold_environment();

/// Undoes what the body has done to it since; when an execution is over.
void put_environment_back();

}  // namespace hocket::unmodified
