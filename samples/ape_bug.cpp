// A test that fails: an item runs although it was cancelled. A worker claims an item with a load and a store,
// and the item is cancelled between the two. The failure needs two preemptions: one of the owner after it has
// posted the item, and one of the worker.
#include "samples/ape.hpp"

#include <hocket/gtest.hpp>

HOCKET_TEST(ProcessingEnvironment, RunsNothingThatWasCancelled) {
  samples::test_ape<samples::ApeSeed::claims_without_exchange>();
}
