// Locks that threads take in different orders: deadlocks that a search has not come to.
//
// A search that is stopped, or stays within a bound, may miss a deadlock. But the orders in which threads
// take locks show in any execution: here thread 1 takes A and then B, and thread 2 B and then A, one after
// the other.
//
//     thread 1: lock A, lock B, unlock B, unlock A
//     thread 2: lock B, lock A, unlock A, unlock B
//
// One execution is observed. Where its orders have a cycle, another execution is run that holds each thread
// of the cycle back before the lock for which it would wait. Only if that fails is there anything to tell:
// threads that are ordered by other means, or by a lock that both hold, have cycles that are harmless. What
// is not found in this way may still be there: other executions may take other locks.
//
// Tested by tests/scheduler/lock_orders_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../runtime/objects/object.hpp"
#include "../../runtime/terms/choice.hpp"
#include "thread_clocks.hpp"

namespace hocket {

/// Observes an execution.
class LockOrders final : public ThreadClocks {
 public:
  /// A step in which a thread takes a lock while it holds another one.
  struct Taking {
    unsigned thread;     ///< index
    std::uint32_t step;  ///< among those of the thread, from 1
  };
  /// Each of different threads, which holds what the one before it takes.
  using Cycle = std::vector<Taking>;

  /// The first cycles of the last execution, the shortest before the others, and few of the same threads and
  /// locks. No two threads of a cycle are ordered by their creation or a join, or hold the same lock.
  [[nodiscard]] std::vector<Cycle> cycles() const;
  /// How many steps the last execution had.
  [[nodiscard]] std::uint32_t steps() const;

  void begin(const runtime::Thread& first) override;
  void acted(const runtime::Object& object, runtime::Access access) override;

 private:
  struct Held {
    const runtime::Object* lock;
    bool is_shared;

    /// Whether a thread that takes it so has to wait for one that holds it so.
    [[nodiscard]] bool excludes(const Held& other) const {
      return lock == other.lock && !(is_shared && other.is_shared);
    }
    bool operator==(const Held&) const = default;
  };
  struct Found;
  struct Nesting {
    Taking at;
    Held takes;
    std::vector<Held> holds;
    Clock clock;            ///< of the thread, by creations and joins alone
    bool is_again = false;  ///< the thread has taken these locks before
  };

  std::vector<Held>& held();
  void take(const Held& lock, bool waits);
  void add(Nesting nesting);
  void give_back(const runtime::Object& lock);
  [[nodiscard]] static bool may_be_together(const Nesting& one, const Nesting& other);
  /// Adds the cycles of so many threads that begin with `path`, whose first thread has the lowest index.
  void extend(std::vector<std::size_t>& path, std::size_t length, Found& found) const;

  std::vector<std::vector<Held>> held_;  ///< by index of the thread
  std::vector<Nesting> nestings_;  ///< of those of one thread and the same locks the first and the last one
};

/// Holds each thread of the cycle back before its step there, until all of them are there or no other can
/// run. The threads go there in the order of the cycle from `first` on.
class HoldsBack final : public runtime::Chooser {
 public:
  HoldsBack(const LockOrders::Cycle& cycle, std::size_t first);
  runtime::Code choose(const runtime::ChoicePoint& point) override;

 private:
  LockOrders::Cycle cycle_;
  std::vector<std::uint32_t> steps_;  ///< that threads have made, by index
  std::uint32_t counted_ = 0;         ///< positions of the log
};

}  // namespace hocket
