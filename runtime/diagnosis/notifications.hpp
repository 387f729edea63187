// The notifications of a recorded execution: whom each could have woken, and whom it woke. A report tells
// them where a thread waits for one that does not come.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../terms/thread_set.hpp"

namespace hocket::runtime {

class Execution;
struct Thread;

/// A call of notify_one or notify_all.
struct Notification {
  unsigned object = 0;   ///< Trace::number()
  std::size_t step = 0;  ///< from 1
  ThreadSet waiters;     ///< the threads that waited then
  ThreadSet woken;       ///< those of them that it woke
};

class Notifications {
 public:
  void clear() { all_.clear(); }
  /// A thread has sent a notification that wakes all waiters, or one of them, which woke() tells.
  void add(Notification notification, bool wakes_all);
  /// The notification that was added last has woken this thread.
  void woke(unsigned thread) { all_.back().woken.insert(thread); }

  /// Those of an object, in the order of their steps.
  [[nodiscard]] std::vector<Notification> of(unsigned object) const;

 private:
  std::vector<Notification> all_;
};

/// What is known of the notifications for which a stuck thread waits.
struct NotificationStory {
  std::string text;    ///< "; the last one came before: …", and a line about earlier ones
  std::string advice;  ///< how the last one could have reached the thread; empty if it has
};

/// Tells the notifications of the object for which `waiter`, which nobody will notify, waits: when each was
/// sent, to whom it could have gone, and where the waiter was then. Both texts are empty if there were none.
NotificationStory story_of_notifications(const Thread& waiter, Execution& e);

}  // namespace hocket::runtime
