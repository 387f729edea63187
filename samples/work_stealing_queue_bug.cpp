// A test that fails: the owner of a work-stealing queue and a thief take the same item. The thief reads the
// queue's tail before it claims an item by moving the head. The failure needs two preemptions, one of the
// owner and one of the thief.
#include "samples/work_stealing_queue.hpp"

#include <hocket/gtest.hpp>

HOCKET_TEST(WorkStealingQueue, GivesEveryItemToExactlyOneThread) {
  samples::run_workers<samples::StealingSeed::steal_looks_before_it_claims>({.slots = 2, .items = 2});
}
