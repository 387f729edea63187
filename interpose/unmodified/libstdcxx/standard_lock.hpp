// std::lock, and with it std::scoped_lock, in instrumented code: what its attempts notice of each other.
//
// It waits for one of its locks and tries the others; where one of those is held, it gives back what it has
// and waits for that one. Two such calls can go on so for ever, each of them holding what the other one
// tries. So that a search comes to an end, a call whose attempt has failed at a lock that another call of
// std::lock took makes its next attempt alone: nobody runs between the lock that it waits for and the last
// one that it tries.
//
// No order is left out in which calls hold all that they asked for: two attempts that fail because of each
// other might as well not have been made. What a thread can notice of an attempt when it tries to take one of
// the locks, it notices of the first attempts, which any number of tries can meet. Only where the lock is
// seen to be free between two such tries, and both calls are still not through, two attempts of one call were
// needed. So the search says where a thread has tried such a lock: see Execution::met_attempt().
#pragma once

#include "../../../runtime/execution/execution.hpp"

namespace hocket::unmodified {

/// The current thread has taken a lock. `state`: the lock's.
template <class State>
void note_taken(State& state) {
  state.was_taken_in_attempt = runtime::execution.current->standard_lock.calls != 0;
}

/// It has tried to take one.
template <class State>
void note_try(State& state, bool succeeded) {
  if (succeeded) return note_taken(state);
  if (!state.was_taken_in_attempt) return;
  runtime::Thread& self = *runtime::execution.current;
  if (self.standard_lock.calls != 0) {
    self.standard_lock.has_met_attempt = true;
  } else {
    runtime::execution.note_met_attempt(self.caller);
  }
}

}  // namespace hocket::unmodified
