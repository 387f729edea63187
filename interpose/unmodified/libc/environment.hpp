// The environment of the process. Each execution finds it as it was when the search began.
//
// libc keeps the environment in its own heap, and moves it when it grows. While a search runs, it is
// therefore kept in memory of Hocket's that stays in place, because a variable of the program may point to
// it.
#pragma once

namespace hocket::unmodified {

/// Takes over the environment. Called at the beginning of a search.
void hold_environment();

/// Undoes the changes that the body has made to it. Called when an execution is over.
void put_environment_back();

}  // namespace hocket::unmodified
