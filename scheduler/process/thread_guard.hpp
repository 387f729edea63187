// Catches a body that starts a thread outside Hocket's control.
#pragma once

namespace hocket {

/// While an object of this class exists, pthread_create() on a logical thread, and so std::thread, makes the
/// execution fail. What the new thread does would not be part of any schedule, and the search would pass
/// without having seen it. In unmodified code under Hocket's control, new threads are logical ones, and this
/// guard does nothing.
class ThreadGuard {
 public:
  ThreadGuard();
};

}  // namespace hocket
