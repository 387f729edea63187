// The functions that the header cmake/libstdcxx/mutex calls.
#include "standard_lock.hpp"

#include <utility>

#include "../host/call_origin.hpp"

using hocket::runtime::execution;

using hocket::runtime::run;
using hocket::unmodified::is_from_body;
using StandardLock = hocket::runtime::StandardLock;

namespace {

StandardLock& own() {
  return run.current->instrumented.standard_lock;
}

void be_alone(bool is_alone) {
  if (is_alone == own().is_alone) return;
  own().is_alone = is_alone;
  if (is_alone) execution.scheduling.note_lone_attempt();
  is_alone ? hocket::runtime::step::forbid_preemption() : hocket::runtime::step::allow_preemption();
}

}  // namespace

extern "C" {

void hocket_std_lock_begin() noexcept {
  if (!is_from_body()) return;
  ++own().calls;
  own().has_met_attempt = own().tries_alone = false;
}
void hocket_std_lock_try() noexcept {
  if (is_from_body()) be_alone(own().tries_alone);
}
void hocket_std_lock_back_off() noexcept {
  if (!is_from_body()) return;
  be_alone(false);
  own().tries_alone = std::exchange(own().has_met_attempt, false);
}
void hocket_std_lock_end() noexcept {
  if (!is_from_body()) return;
  be_alone(false);
  --own().calls;
}

}  // extern "C"
