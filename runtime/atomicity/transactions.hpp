// Whether blocks of code are atomic: whether some order of whole blocks has the effect that an execution has.
//
// A transaction is a block, or an operation outside of blocks. It comes before another one if one of its
// operations comes before one of the other's, and both are by one thread, or conflict: they are on one
// object, and one of them changes it. If the transactions can be brought into an order, each block could have
// been done without interruption; they cannot if what comes before what has a cycle:
//
//     thread 1:  { load x                store x }
//     thread 2:              store x
//
// The block comes before the store of thread 2 by its load, and after it by its store. Without the braces
// there is no cycle, because operations come one after the other. So a cycle leads into a block at a later
// operation than out of it. This is conflict-serialisability; it is looked for as in C. Flanagan, S. N.
// Freund and J. Yi, Velodrome: A Sound and Complete Dynamic Atomicity Checker for Multithreaded Programs
// (PLDI 2008), but all transactions are kept, so that the cycle can be told.
//
// Where operations may read older values than the newest, what counts is not when they read but which value:
// a read comes before the store that replaces its value, even if that one was earlier.
//
// Tested by tests/runtime/atomicity_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "../terms/operation.hpp"
#include "../terms/where.hpp"

namespace hocket::runtime {

/// The transactions of an execution, from the first block on: what is earlier can be in no cycle.
class Transactions {
 public:
  /// Something that a thread does.
  struct Event {
    unsigned thread = 0;     ///< index
    std::uint32_t step = 0;  ///< so many choices had been made
    enum class What : std::uint8_t { operation, creation, join } what = What::operation;
    unsigned other = 0;             ///< the thread that it creates or joins
    std::uint32_t transaction = 0;  ///< not for others
  };
  /// One of two threads comes before the other.
  struct Order {
    Event first;
    Event second;
  };
  /// A block that is not atomic.
  struct Violation {
    unsigned thread = 0;
    Where begins;
    std::vector<Order> cycle;  ///< the shortest: from the block on, and back
  };

  /// Another execution begins. `older`: operations may read other values than the newest.
  void begin(bool older);

  /// A block of `thread` begins or ends. Blocks within blocks are parts of the outermost.
  void enter(unsigned thread, Where where);
  void leave(unsigned thread);
  /// `thread` accesses the object of that key: the newest value, or one that so many stores have replaced; a
  /// write comes right after that one.
  void access(
      unsigned thread, std::uint64_t object, Access access, std::uint32_t step, std::uint32_t newer = 0);
  /// The object of that key is gone.
  void forget(std::uint64_t object) { objects_.erase(object); }
  void create(unsigned creator, unsigned thread, std::uint32_t step);
  void join(unsigned joiner, unsigned ended, std::uint32_t step);

  /// The first block that was found not to be atomic.
  [[nodiscard]] const std::optional<Violation>& violation() const { return violation_; }

 private:
  using Number = std::uint32_t;
  static constexpr Number kNone = ~Number{0};

  struct ThreadState {
    unsigned depth = 0;          ///< blocks that it is in
    Where begins;                ///< the outermost
    Number transaction = kNone;  ///< that one, once it has done something
    Number last = kNone;         ///< event
  };
  struct Transaction {
    bool is_block;
    Where begins;
    Number first;              ///< event
    Number last;               ///< event
    Number in = kNone;         ///< the last edge to it
    bool is_followed = false;  ///< another one comes after it
  };
  struct Edge {
    Number from;  ///< event
    Number to;    ///< event
    Number next;  ///< edge to the same transaction
  };
  struct Value {
    Number written = kNone;  ///< event; kNone: before the first block
    std::vector<Number> reads{};
  };
  struct Search;

  ThreadState& state(unsigned thread);
  Number add_event(unsigned thread, std::uint32_t step, Event::What what = {}, unsigned other = 0);
  void order(Number first, Number second);
  void look_for_cycle(Number last);

  bool older_ = false;
  std::vector<ThreadState> threads_;  ///< by index
  std::vector<Event> events_;
  std::vector<Transaction> transactions_;
  std::vector<Edge> edges_;
  std::unordered_map<std::uint64_t, std::vector<Value>> objects_;  ///< by key; values in modification order
  std::optional<Violation> violation_;
};

}  // namespace hocket::runtime
