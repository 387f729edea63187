// A test that fails: the owner of a work-stealing queue and a thief take the same item. The thief looks at
// the queue's tail before it has claimed an item by moving the head; it takes two preemptions to do harm, the
// owner's and the thief's.
#include "samples/work_stealing_queue.hpp"

#include <hocket/gtest.hpp>

HOCKET_TEST(WorkStealingQueue, GivesEveryItemToExactlyOneThread) {
  samples::run_workers<samples::StealingSeed::steal_looks_before_it_claims>({.slots = 2, .items = 2});
}
