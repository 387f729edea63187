// A test that fails: a client's transaction is lost. The timer removes what it has timed out by its id, which
// the client has used again in the meantime. It takes three preemptions: the client's when it has begun its
// first transaction, the timer's before it removes it, and the client's when it has begun the second.
#include "samples/transaction_manager.hpp"

#include <hocket/gtest.hpp>

HOCKET_TEST_WITH(TransactionManager, EndsEveryTransactionOnce, {.max_preemptions = 3}) {
  samples::test_transactions<samples::TransactionSeed::removes_by_id>();
}
