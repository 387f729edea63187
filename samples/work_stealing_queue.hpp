// A work-stealing queue after Cilk's THE protocol (Frigo, Leiserson and Randall: The Implementation of the
// Cilk-5 Multithreaded Language, 1998, section 5), over a bounded circular buffer.
//
// One thread owns the queue; it pushes and pops work at the tail. Thieves steal at the head, and a lock
// excludes them from each other. Owner and thief conflict only over the last item, so the owner does not need
// the lock: each side first claims an item by moving its own end, and then reads the other end. A side that
// sees that the ends have crossed takes its claim back. The owner then tries again under the lock, where it
// has no rival.
//
// Three bugs can be seeded, each a change of at most three lines of the algorithm. Nothing else depends
// on them: run_workers() checks one invariant, which only the correct algorithm keeps under every
// schedule.
#pragma once

#include <cstddef>
#include <hocket/hocket.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "samples/sample_program.hpp"

namespace samples {

enum class StealingSeed {
  none,
  pop_looks_before_it_claims,    ///< the owner reads the head before it has moved the tail
  steal_looks_before_it_claims,  ///< the thief reads the tail before it has moved the head
  no_spare_slot,  ///< the owner may overwrite an item that a thief has claimed but not read yet
};

/// `End` and `Slot` are the variables that keep the ends of the queue and its items.
template <class Item, StealingSeed seed = StealingSeed::none, class End = hocket::atomic<long>,
    class Slot = hocket::atomic<Item>>
class WorkStealingQueue {
 public:
  /// The queue holds up to `slots` - 1 items.
  explicit WorkStealingQueue(std::size_t slots) : slots_(slots), size_(static_cast<long>(slots)) {
    hocket::name(head_, "head");
    hocket::name(tail_, "tail");
    hocket::name(lock_, "thieves' lock");
    for (std::size_t n = 0; n < slots; ++n) hocket::name(slots_[n], "slot " + std::to_string(n));
  }

  /// Only for the owner. Returns false if the queue is full; `item` is then not in it.
  bool push(Item item) {
    const long tail = tail_.load();
    // A thief moves the head before it reads the item there, so the slot before the head may still be in use.
    const long spare = seed == StealingSeed::no_spare_slot ? 0 : 1;
    if (tail - head_.load() >= size_ - spare) return false;
    slot(tail).store(item);
    tail_.store(tail + 1);
    return true;
  }

  /// Only for the owner. Returns the youngest item, or nothing if thieves have taken everything.
  std::optional<Item> pop() {
    if (const std::optional<Item> item = try_pop()) return item;
    const std::lock_guard guard(lock_);
    return try_pop();
  }

  /// For any thread. Returns the oldest item, or nothing if there is none or the owner is about to pop it.
  std::optional<Item> steal() {
    const std::lock_guard guard(lock_);
    const long head = head_.load();
    long tail = seed == StealingSeed::steal_looks_before_it_claims ? tail_.load() : 0;
    head_.store(head + 1);
    if (seed != StealingSeed::steal_looks_before_it_claims) tail = tail_.load();
    if (head >= tail) {
      head_.store(head);
      return std::nullopt;
    }
    return slot(head).load();
  }

 private:
  std::optional<Item> try_pop() {
    const long tail = tail_.load() - 1;
    long head = seed == StealingSeed::pop_looks_before_it_claims ? head_.load() : 0;
    tail_.store(tail);
    if (seed != StealingSeed::pop_looks_before_it_claims) head = head_.load();
    if (head > tail) {
      tail_.store(tail + 1);
      return std::nullopt;
    }
    return slot(tail).load();
  }

  Slot& slot(long index) { return slots_[static_cast<std::size_t>(index % size_)]; }

  hocket::mutex lock_;
  End head_{0};  ///< the oldest item; moved under lock_
  End tail_{0};  ///< one past the youngest item; moved by the owner
  std::vector<Slot> slots_;
  long size_;
};

/// How many items, slots and threads a test uses.
struct StealingSetup {
  std::size_t slots = 2;
  int items = 4;
  int thieves = 1;
  int attempts = 1;  ///< number of attempts of each thief to steal
};

/// The body of a test: an owner, which is the body's own thread, and thieves work at one queue. The owner
/// pushes all items. It pops when the queue is full and after it has pushed the last item. Every item is
/// taken exactly once, by the owner or by a thief.
template <StealingSeed seed, class Queue = WorkStealingQueue<int, seed>>
void run_workers(const StealingSetup& setup) {
  Queue queue(setup.slots);
  // These are notes of the test, not data of the program: an item that is taken twice must fail a check, not
  // cause a data race.
  std::vector<int> times_taken(static_cast<std::size_t>(setup.items));
  const auto take = [&times_taken](std::optional<int> item) {
    if (!item) return false;
    const int times = ++times_taken[static_cast<std::size_t>(*item)];
    hocket::check(times == 1, "item " + std::to_string(*item) + " was taken twice");
    return true;
  };

  hocket::name_this_thread("owner");
  // The thieves start when the queue is in use. If they started first, one could begin without a preemption,
  // which would hide how many preemptions of the owner a bug needs.
  if (setup.items > 0) queue.push(0);

  std::vector<hocket::thread> thieves;
  for (int n = 1; n <= setup.thieves; ++n) {
    thieves.emplace_back([&] {
      for (int attempt = 0; attempt < setup.attempts; ++attempt) take(queue.steal());
    });
    hocket::name(thieves.back(), setup.thieves == 1 ? "thief" : "thief " + std::to_string(n));
  }

  for (int item = 1; item < setup.items; ++item) {
    while (!queue.push(item)) take(queue.pop());
  }
  while (take(queue.pop())) {
  }

  for (hocket::thread& thief : thieves) thief.join();
  for (std::size_t n = 0; n < times_taken.size(); ++n) {
    hocket::check(times_taken[n] == 1, "item " + std::to_string(n) + " was lost");
  }
}

/// An owner and a thief at a queue with this number of slots and with one item more than that.
inline SampleProgram work_stealing_program(std::size_t slots) {
  const StealingSetup setup{.slots = slots, .items = static_cast<int>(slots) + 1};
  return {"work-stealing queue of size " + std::to_string(slots), 2,
      [setup] { run_workers<StealingSeed::none>(setup); },
      {{"pop looks before it claims", 1, hocket::FailureKind::check, "was taken twice",
           [setup] { run_workers<StealingSeed::pop_looks_before_it_claims>(setup); }},
          {"steal looks before it claims", 2, hocket::FailureKind::check, "was taken twice",
              [setup] { run_workers<StealingSeed::steal_looks_before_it_claims>(setup); }},
          {"no spare slot", 2, hocket::FailureKind::check, "was taken twice",
              [setup] { run_workers<StealingSeed::no_spare_slot>(setup); }}}};
}

}  // namespace samples
