// Which executions the seq_cst operations and fences of C++ forbid.
//
// The rule is that of RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing Sequential Consistency in
// C/C++11, PLDI 2017): a relation between seq_cst events, called psc there, must have no cycle. The text of
// C++20 orders more of them, which compilers do not keep on x86 (LWG 3941). A seq_cst event comes before
// another one because of the program order, because it happens before it in a way that begins and ends with
// program order or stays at one atomic, or because it stored or read something that the other one, in
// modification order, follows. A fence stands for all that happens after it on its way out, and for all that
// happens before it on its way in.
//
// An operation that reads or follows the newest store can close no cycle. So only choices of older stores are
// checked, and whatever has been chosen so far has no cycle. A new one must come through the new operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../races/released.hpp"
#include "../terms/thread_set.hpp"
#include "../terms/vector_clock.hpp"
#include "store_history.hpp"

namespace hocket::runtime {

/// An atomic operation that is to read, or to follow, the store at `place`.
struct OlderChoice {
  const StoreHistory* history;
  std::uint32_t place;
  bool writes;
  bool is_seq_cst;
  unsigned thread;
  const VectorClock* before;  ///< what its thread knows before it
  const VectorClock* after;   ///< and what with the value that it reads
};

class SeqCstOrder {
 public:
  /// Begins a new execution.
  void begin();

  /// Notes a seq_cst fence of a thread that then knows `known`, its own time included.
  void fenced(unsigned thread, const VectorClock& known);

  /// Whether an atomic operation is to be noted. What came before the first seq_cst event cannot come after
  /// one, so it matters to no cycle.
  [[nodiscard]] bool needs(bool is_seq_cst) const { return is_seq_cst || threads_used_ != 0; }
  /// Notes an atomic operation: the store that it has read and the one that it has made, or nullptr. Sets
  /// Store::event.
  void acted(unsigned thread, StoreHistory& history, const Store* read, Store* made, bool is_seq_cst,
      const VectorClock& before, const VectorClock& after);

  /// Whether a choice can make a cycle, whichever it is.
  [[nodiscard]] bool may_forbid() const { return threads_used_ != 0; }
  /// Whether the choice would make a cycle.
  [[nodiscard]] bool forbids(const OlderChoice& choice, unsigned threads);

 private:
  struct Event {
    const StoreHistory* history;  ///< nullptr: a fence
    const Store* read;
    const Store* made;
    bool is_seq_cst;
    std::uint32_t time;
    VectorClock before;
    VectorClock after;

    [[nodiscard]] bool is_fence() const { return history == nullptr; }
    /// The place of the first store that comes after what it has read and made.
    [[nodiscard]] std::uint32_t next_place() const { return (made != nullptr ? made : read)->place + 1; }
  };
  /// What a thread has done, in its order. All memory is kept from one execution to the next.
  struct Events {
    std::vector<Event> all;
    std::uint32_t used = 0;
    std::vector<std::uint32_t> fences;  ///< their numbers
  };
  class Reach;

  Event& new_event(unsigned thread);
  /// The number of fences of `thread` that happen before what knows `known`.
  [[nodiscard]] std::size_t fences_known(unsigned thread, const VectorClock& known) const;

  std::array<Events, kMaxThreads> threads_;
  unsigned threads_used_ = 0;
};

}  // namespace hocket::runtime
