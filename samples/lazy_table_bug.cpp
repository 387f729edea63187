// A test that fails by a data race: the pointer to the table is published with memory_order_relaxed, so the
// table's construction is not ordered before another thread's reads of the table.
#include "samples/lazy_table.hpp"

#include <hocket/gtest.hpp>

HOCKET_TEST(LazyTable, GivesEveryThreadTheWholeTable) {
  samples::test_lazy_table<samples::LazySeed::relaxed_publication>();
}
