// One action of the abstract machine while it is being made: counts versions, notes what futile yields depend
// on, and composes the action.
#pragma once

#include "tests/oracle/machine.hpp"

namespace hocket::oracle {

class Machine::Step {
 public:
  Step(State& state, unsigned thread)
      : state_(state), thread_(thread), action_(state.threads[thread].at.verb) {}

  void writes(unsigned object) {
    ObjectState& o = state_.objects[object];
    ++o.version;
    action_.touch(object, true, o.version);
    if (self().has_yielded) self().has_written = true;
  }

  void reads(unsigned object) {
    const std::uint8_t version = state_.objects[object].version;
    action_.touch(object, false, version);
    ThreadState& t = self();
    if (!t.has_yielded) return;
    const auto bit = static_cast<std::uint16_t>(1U << object);
    if ((t.has_read & bit) == 0) t.version[object] = version;  // versions only rise: the first is the oldest
    t.has_read |= bit;
  }

  void is_a_yield() {
    ThreadState& t = self();
    t.has_yielded = true;
    t.has_written = false;  // moving the clock in a sleep does not count as writing
    t.has_read = 0;
    t.version = {};
  }

  void has_outcome(unsigned outcome) { action_.come_out(outcome); }
  void ends() { state_.actions[thread_].at(self().actions++) = action_.word(); }
  void ends_with_outcome(unsigned outcome) {
    action_.come_out(outcome);
    ends();
  }

 private:
  [[nodiscard]] ThreadState& self() { return state_.threads[thread_]; }

  State& state_;
  unsigned thread_;
  Action action_;
};

}  // namespace hocket::oracle
