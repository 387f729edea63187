// A body that starts a thread which nobody controls.
#pragma once

namespace hocket {

/// While one lives, pthread_create() on a logical thread, and so std::thread, makes the execution fail: what
/// the other thread does would be part of no schedule, and the search would pass without having seen it.
/// Where code that was not written for Hocket is under control its threads are logical ones, and this does
/// nothing.
class ThreadGuard {
 public:
  ThreadGuard();
};

}  // namespace hocket
