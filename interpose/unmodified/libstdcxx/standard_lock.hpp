// std::lock, and with it std::scoped_lock, in instrumented code: how its attempts affect each other.
//
// std::lock waits for one of its locks and tries the others. If one of those is held, it releases what it has
// and waits for that one. Two such calls can repeat this forever, each of them holding what the other one
// tries. For a search to end, a call whose attempt has failed at a lock taken by another call of std::lock
// makes its next attempt alone: no other thread runs between the lock that it waits for and the last lock
// that it tries.
//
// No order is lost in which calls hold everything they asked for: two attempts that fail because of each
// other might as well not have been made. A thread may also observe an attempt by trying one of the locks.
// Whatever it can observe, it can observe of the first attempts, which any number of tries can meet. There is
// one exception: the lock is seen free between two such tries while both calls are still not done. That takes
// two attempts of one call. So the search reports where a thread has tried such a lock: see
// Scheduling::met_attempt().
#pragma once

#include "../../../runtime/execution/execution.hpp"

namespace hocket::unmodified {

/// The current thread has taken a lock. `state`: the lock's state.
template <class State>
void note_taken(State& state) {
  state.was_taken_in_attempt = runtime::run.current->instrumented.standard_lock.calls != 0;
}

/// The current thread has tried to take a lock.
template <class State>
void note_try(State& state, bool succeeded) {
  if (succeeded) return note_taken(state);
  if (!state.was_taken_in_attempt) return;
  runtime::Thread& self = *runtime::run.current;
  if (self.instrumented.standard_lock.calls != 0) {
    self.instrumented.standard_lock.has_met_attempt = true;
  } else {
    runtime::execution.scheduling.note_met_attempt(self.instrumented.caller);
  }
}

}  // namespace hocket::unmodified
