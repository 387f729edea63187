// Loops that retry: they change something in each round, as a lock that is made by hand does, so they are no
// polls, and no other thread ever gets its turn because of them.
//
// Whether a loop ends by itself cannot be seen from its first rounds. So an execution in which threads repeat
// a loop up to the limit of steps, while others could run, is not a failure of code that was not written for
// Hocket: the search notes the loop and begins anew. From then on a thread yields after each round of such a
// loop, as if the loop called std::this_thread::yield(). That changes no outcome, because a yield does
// nothing; it changes what schedules cost, and a fair search ends.
//
// A round begins with the first operation that the thread comes to again. In the middle of a round it may be
// in the way of another thread that retries, and each would wait for the other for ever. Compilers write out
// the beginning of the first round before the loop, too, as Clang does where a loop ends in its middle: an
// operation there is the one of the loop that is called on the same line of the source.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "../terms/retry_loops.hpp"
#include "../threads/thread.hpp"
#include "run.hpp"

namespace hocket::runtime {

class Pace;

class Retries {
 public:
  /// Where a thread is in such a loop.
  struct Place {
    /// An operation by the code that calls it, and by how the thread came to that: without optimisation a
    /// function such as std::atomic's operator= calls all of them.
    using Operation = std::pair<const void*, std::uint64_t>;
    const void* loop = nullptr;  ///< RetryStep::loop; nullptr outside of loops
    const void* head =
        nullptr;  ///< the code of the operation with which a round begins; nullptr: not known yet
    std::uint64_t path_to_head = 0;
    std::vector<Operation> met{};  ///< in this loop, until the head is known
    std::uint32_t steps = 0;       ///< since it last yielded
  };

  explicit constexpr Retries(Pace& pace) : pace_(pace) {}

  /// Another execution begins, whose options are known.
  void begin() {
    is_watching_ = run.options.recorded_giving_way != nullptr ||
                   (run.options.retry_loops != nullptr && !run.options.retry_loops->empty());
    if (is_watching_) [[unlikely]]
      begin_to_watch();
  }

  [[nodiscard]] bool are_watched() const { return is_watching_; }
  /// Whether the current thread, which stops before an operation that can be done, is to yield first.
  [[nodiscard]] bool makes_yield(const Thread& self) {
    if (!is_watching_) [[likely]]
      return false;
    return is_due(self);
  }

  /// The execution has reached the limit of steps in that loop. Returns whether it was not known before.
  [[nodiscard]] static bool note(const RetryLoops& loop);
  /// Whether take_found() has any.
  [[nodiscard]] static bool have_found();
  /// The loops that were found since the last call, or, after a replay, those in which threads have yielded.
  [[nodiscard]] static RetryLoops take_found();

 private:
  void begin_to_watch();
  [[nodiscard]] static bool is_due(const Thread& self);
  [[nodiscard]] static bool is_due_again(const Thread& self);
  [[nodiscard]] static bool is_at_head(Place& place, const void* operation, const void* caller);

  Pace& pace_;
  bool is_watching_ = false;
};

}  // namespace hocket::runtime
