// Every bug as a body, together with the same program without the bug.
#pragma once

#include <vector>

#include "samples/unmodified/aba_stack.hpp"
#include "samples/unmodified/check_then_act.hpp"
#include "samples/unmodified/deleted_lock.hpp"
#include "samples/unmodified/double_checked_locking.hpp"
#include "samples/unmodified/hand_made_once.hpp"
#include "samples/unmodified/intrusive_count.hpp"
#include "samples/unmodified/joined_too_late.hpp"
#include "samples/unmodified/lock_order.hpp"
#include "samples/unmodified/lost_wakeup.hpp"
#include "samples/unmodified/missed_notify.hpp"
#include "samples/unmodified/promise_order.hpp"
#include "samples/unmodified/rwlock_upgrade.hpp"
#include "samples/unmodified/semaphore_permits.hpp"
#include "samples/unmodified/shared_ptr_race.hpp"
#include "samples/unmodified/spurious_wakeup.hpp"
#include "samples/unmodified/stale_thread_local.hpp"
#include "samples/unmodified/started_too_early.hpp"
#include "samples/unmodified/torn_invariant.hpp"
#include "samples/unmodified/upgrade_gap.hpp"
#include "samples/unmodified/use_after_free.hpp"
#include "samples/unmodified/version.hpp"

namespace samples {

struct Bug {
  const char* name;  ///< also the name of the header
  void (*buggy)();
  void (*corrected)();
};

inline std::vector<Bug> bugs() {
  return {
      {"aba_stack", &aba_stack::body<Version::buggy>, &aba_stack::body<Version::corrected>},
      {"check_then_act", &check_then_act::body<Version::buggy>, &check_then_act::body<Version::corrected>},
      {"deleted_lock", &deleted_lock::body<Version::buggy>, &deleted_lock::body<Version::corrected>},
      {"double_checked_locking", &double_checked_locking::body<Version::buggy>,
          &double_checked_locking::body<Version::corrected>},
      {"hand_made_once", &hand_made_once::body<Version::buggy>, &hand_made_once::body<Version::corrected>},
      {"intrusive_count", &intrusive_count::body<Version::buggy>, &intrusive_count::body<Version::corrected>},
      {"joined_too_late", &joined_too_late::body<Version::buggy>, &joined_too_late::body<Version::corrected>},
      {"lock_order", &lock_order::body<Version::buggy>, &lock_order::body<Version::corrected>},
      {"lost_wakeup", &lost_wakeup::body<Version::buggy>, &lost_wakeup::body<Version::corrected>},
      {"missed_notify", &missed_notify::body<Version::buggy>, &missed_notify::body<Version::corrected>},
      {"promise_order", &promise_order::body<Version::buggy>, &promise_order::body<Version::corrected>},
      {"rwlock_upgrade", &rwlock_upgrade::body<Version::buggy>, &rwlock_upgrade::body<Version::corrected>},
      {"semaphore_permits", &semaphore_permits::body<Version::buggy>,
          &semaphore_permits::body<Version::corrected>},
      {"shared_ptr_race", &shared_ptr_race::body<Version::buggy>, &shared_ptr_race::body<Version::corrected>},
      {"spurious_wakeup", &spurious_wakeup::body<Version::buggy>, &spurious_wakeup::body<Version::corrected>},
      {"stale_thread_local", &stale_thread_local::body<Version::buggy>,
          &stale_thread_local::body<Version::corrected>},
      {"started_too_early", &started_too_early::body<Version::buggy>,
          &started_too_early::body<Version::corrected>},
      {"torn_invariant", &torn_invariant::body<Version::buggy>, &torn_invariant::body<Version::corrected>},
      {"upgrade_gap", &upgrade_gap::body<Version::buggy>, &upgrade_gap::body<Version::corrected>},
      {"use_after_free", &use_after_free::body<Version::buggy>, &use_after_free::body<Version::corrected>},
  };
}

}  // namespace samples
