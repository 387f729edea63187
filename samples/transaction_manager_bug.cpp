// A test that fails: a client's transaction is lost. The timer removes a timed-out transaction by its id,
// which the client has used again meanwhile. Three preemptions are needed: of the client after it has begun
// its first transaction, of the timer before the removal, and of the client after it has begun the second.
#include "samples/transaction_manager.hpp"

#include <hocket/gtest.hpp>

HOCKET_TEST_WITH(TransactionManager, EndsEveryTransactionOnce, {.max_preemptions = 3}) {
  samples::test_transactions<samples::TransactionSeed::removes_by_id>();
}
