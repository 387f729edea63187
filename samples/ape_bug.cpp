// A test that fails: an item runs although it was cancelled. A worker claims an item with a load and a store,
// and the item is cancelled in between; it takes two preemptions, the owner's when it has posted the item and
// the worker's.
#include "samples/ape.hpp"

#include <hocket/gtest.hpp>

HOCKET_TEST(ProcessingEnvironment, RunsNothingThatWasCancelled) {
  samples::test_ape<samples::ApeSeed::claims_without_exchange>();
}
