// Depth-first search with persistent sets and sleep sets, for the strategies icb-por and dpor. It runs few of
// the orders of independent moves. A *move* is one step of a thread, or its *context*: what it does on its
// own until it blocks or ends.
//
// At every node (a state, and in a search with a bound the thread that came last and the preemptions that are
// left) the search explores the threads of a set. The set begins with one thread. Each explored thread has a
// *footprint*, the objects that it reads and writes in its move. If another thread was seen to do something
// below the node that conflicts with such a footprint, it joins the set. A thread of the set that is blocked
// is not explored; its footprint is what it waits for.
//
// Why no class is lost: take a schedule of a class from the node, and in it the first move of a thread of the
// set. Everything before it is independent of it, because what conflicts would have joined the set. So the
// move can come first.
//
// An explored thread sleeps in the later siblings until an operation conflicts with its footprint. What was
// seen below it counts there, too. So no class is run to its end twice, if the moves are single steps.
// Persistent sets and sleep sets are those of Godefroid, Partial-Order Methods for the Verification of
// Concurrent Systems (1996); finding out during the search what a thread will do is the idea of Flanagan and
// Godefroid, Dynamic Partial-Order Reduction for Model Checking Software (POPL 2005).
//
// In a search with a bound the moves are contexts. Then the schedule to take is a cheapest one of the class,
// and moving a context to the front adds no preemption. The set begins with the thread that came last if it
// can go on, and otherwise with any thread that can; the move of a thread that came last and can be preempted
// is its next step. A sleeping thread wakes also if a thread blocks at an operation that conflicts with its
// footprint, because the context of that thread ends there.
//
// Whether a step is possible, or what it costs, may depend on which other threads can go on: yields, the ends
// of timed waits, spurious wake-ups, no_preemption guards. Such steps conflict with everything. So do all
// steps where threads are detached.
#pragma once

#include <cstdint>
#include <memory>

#include "strategy.hpp"

namespace hocket {

enum class Moves : std::uint8_t {
  contexts,  ///< bound by bound, up to Options::max_preemptions
  steps,     ///< without bounds
};

/// `first_bound`: of a search that has already covered every bound below.
std::unique_ptr<Strategy> make_persistent_set_search(
    const Options& options, Moves moves, unsigned first_bound = 0);

}  // namespace hocket
