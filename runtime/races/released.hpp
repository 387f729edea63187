// What a thread has released to others: the clock that comes with an unlock or with the value of an atomic.
#pragma once

#include "../objects/var.hpp"
#include "../terms/vector_clock.hpp"

namespace hocket::runtime {

/// A thread's time advances whenever it releases, so another thread that knows that time knows everything
/// that this thread knew then, and its clock need not be read.
struct Released {
  VectorClock clock;
  Epoch when = 0;  ///< the epoch of the one thread whose clock this was; kSeveralThreads: no single one

  void clear() {
    clock.clear();
    when = 0;
  }

  template <Threads threads = Threads::any>
  [[nodiscard, gnu::always_inline]] bool is_known_to(const VectorClock& known) const {
    return is_before<threads>(when, known);
  }

  /// Adds the released clock to `known`.
  template <Threads threads = Threads::any>
  [[gnu::always_inline]] void join_to(VectorClock& known) const {
    // Whether it is already known depends on which thread came last, which cannot be predicted. With few
    // threads a join costs less than a mispredicted branch.
    if (threads == Threads::few || !is_known_to<threads>(known)) known.join<threads>(clock);
  }

  template <Threads threads = Threads::any>
  [[gnu::always_inline]] void become(const VectorClock& now, Epoch epoch) {
    clock.become<threads>(now);
    when = epoch;
  }
  template <Threads threads = Threads::any>
  [[gnu::always_inline]] void become(const Released& other) {
    become<threads>(other.clock, other.when);
  }

  /// Like become(), but keeps what is already there.
  template <Threads threads = Threads::any>
  [[gnu::always_inline]] void add(const VectorClock& now, Epoch epoch) {
    if (is_known_to<threads>(now)) [[likely]] {
      become<threads>(now, epoch);
    } else {
      clock.join<threads>(now);
      when = kSeveralThreads;
    }
  }
  template <Threads threads = Threads::any>
  [[gnu::always_inline]] void add(const Released& other) {
    if (!other.is_known_to<threads>(clock)) add<threads>(other.clock, other.when);
  }
};

}  // namespace hocket::runtime
