#include "signal_waits.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "../../../runtime/execution/step.hpp"
#include "../host/call_origin.hpp"
#include "signal_delivery.hpp"
#include "signal_state.hpp"

namespace hocket::unmodified::signals {

using runtime::run;

namespace {

/// Waits for one of `set` and takes it. Returns 0 when the time is over; with a time of 0 it does not wait.
int wait_for_one_of(SignalSet set, std::int64_t nanoseconds) {
  Delivery& delivery = signals::delivery();
  const unsigned self = run.current->index;
  if (!add_to(delivery)) return 0;
  int taken = delivery.take(self, set);
  const bool is_timed = nanoseconds != runtime::kForever;
  const std::int64_t deadline = is_timed ? run.current->seen_clock + nanoseconds : 0;
  // Another thread may take what has woken this one.
  for (std::int64_t left = nanoseconds; taken == 0 && left != 0;) {
    delivery.to[self].waited_for = set;
    struct Context {
      const Delivery& delivery;
      unsigned self;
      SignalSet set;
    } context{delivery, self, set};
    bool expired = false;
    const bool goes_on = runtime::step::atomic_wait(
        delivery,
        [](const void* argument) {
          const auto& c = *static_cast<const Context*>(argument);
          return (c.delivery.pending_for(c.self) & c.set) == 0;
        },
        &context, std::memory_order_acquire, left, expired, runtime::Where{});
    if (!goes_on || !take_from(delivery)) return 0;
    delivery.to[self].waited_for = 0;
    taken = delivery.take(self, set);
    if (is_timed) left = expired ? 0 : std::max<std::int64_t>(deadline - run.current->seen_clock, 0);
  }
  if (taken != 0) note(taken);
  if ((delivery.pending_for(self) & ~my_mask().blocked) != 0) handle_what_is_not_blocked();
  return taken;
}

}  // namespace

int wait_for(const sigset_t* set, siginfo_t* info, std::int64_t nanoseconds) {
  const int taken = wait_for_one_of(from_system(*set), nanoseconds);
  if (taken == 0) return fail_with(EAGAIN);
  if (info != nullptr) *info = info_of(taken);
  return taken;
}

int wait_for_handler(SignalSet blocked) {
  SignalSet set = 0;
  for (int n = 1; n < NSIG; ++n) {
    const bool is_meant = is_valid_signal(n) && (blocked & bit_of(n)) == 0 && !is_ignored(n);
    if (is_meant) set |= bit_of(n);
  }
  const int taken = wait_for_one_of(set, runtime::kForever);
  if (taken != 0) handle(taken);
  return fail_with(EINTR);
}

}  // namespace hocket::unmodified::signals
