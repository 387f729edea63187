// Blocks that are marked as atomic: an execution in which other threads come between their operations fails.
//
// What an execution pays for this begins with its first block: from there on its events are observed
// (runtime/objects/observer.hpp). Which blocks are not atomic is decided in runtime/atomicity.
#pragma once

#include "../terms/where.hpp"

namespace hocket::runtime::atomic_blocks {

/// The current thread enters a block at that place, or leaves the last one that it has entered.
void enter(Where where);
void leave();

}  // namespace hocket::runtime::atomic_blocks
