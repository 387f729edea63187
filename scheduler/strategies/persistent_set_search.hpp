// Depth-first search with persistent sets and sleep sets, for the strategies icb-por and dpor. It runs few of
// the orders of independent moves. A *move* is one step of a thread, or its *context*: what it does on its
// own until it blocks, yields or ends.
//
// At every node (a state, and in a search with a bound the thread that came last and the preemptions that are
// left) the search explores the threads of a set. The set begins with one thread. Each explored thread has a
// *footprint*, the objects that it reads and writes in its move. If another thread was seen to do something
// below the node that conflicts with such a footprint, it joins the set. A thread of the set that is blocked
// is not explored; its footprint is what it waits for.
//
// In a search with a bound the moves are contexts. The set begins with the thread that came last if it can go
// on, and otherwise with any thread that can; the move of a thread that came last and can be preempted is its
// next step. An explored thread sleeps in the later siblings until an operation conflicts with its footprint
// or, where moves are contexts, a thread blocks at one that does.
//
// docs/partial-order-reduction.md has the whole rule, the argument that no class is lost, and how each
// feature of a program fits it. What the argument does not cover conflicts with everything.
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
