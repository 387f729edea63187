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

#include "../../runtime/objects/observer.hpp"
#include "../../runtime/terms/choice.hpp"

namespace hocket {

/// Observes an execution.
class LockOrders final : public runtime::Observer {
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
  [[nodiscard]] std::uint32_t steps() const { return steps_; }

  void begin(const runtime::Thread& first) override;
  void created(const runtime::Thread& thread) override;
  void started(const runtime::Thread& /*thread*/) override {}
  void joined(const runtime::Thread& thread, const runtime::Thread& target) override;
  void stopped(const runtime::Thread& /*thread*/, bool /*is_free*/) override {}
  void chose_thread(const runtime::Thread& thread, runtime::Mode mode) override;
  void met_values(const runtime::Thread& /*thread*/, runtime::Operation /*operation*/,
      std::uint32_t /*count*/, std::uint16_t /*price*/) override {}
  void chose_value(const runtime::Thread& /*thread*/, std::uint32_t /*value*/) override {}
  void acted(const runtime::Object& object, runtime::Access access) override;
  void over(bool /*is_cut_short*/) override {}
  void woke(const runtime::Thread& /*thread*/) override {}

 private:
  using Clock = std::vector<std::uint32_t>;  ///< steps by index of the thread

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
  struct ThreadsLocks {
    std::vector<Held> held;
    Clock clock;  ///< what comes before its next step: by creation and joins alone
  };
  struct Nesting {
    Taking at;
    Held takes;
    std::vector<Held> holds;
    Clock clock;
    bool is_again = false;  ///< the thread has taken these locks before
  };

  ThreadsLocks& of(const runtime::Thread& thread);
  static void join(Clock& into, const Clock& other);
  void take(const Held& lock, bool waits);
  void add(Nesting nesting);
  void give_back(const runtime::Object& lock);
  [[nodiscard]] static bool may_be_together(const Nesting& one, const Nesting& other);
  /// Adds the cycles of so many threads that begin with `path`, whose first thread has the lowest index.
  void extend(std::vector<std::size_t>& path, std::size_t length, Found& found) const;

  const runtime::Thread* current_ = nullptr;
  std::uint32_t steps_ = 0;
  std::vector<ThreadsLocks> threads_;
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
