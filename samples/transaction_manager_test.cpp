// Tests what iterative context bounding finds in the transaction manager and with how many preemptions: two
// bugs need two and one needs three, as in Musuvathi and Qadeer 2007, Table 2.
#include "samples/transaction_manager.hpp"

#include <gtest/gtest.h>

#include "samples/expect_bound.hpp"

namespace {

using hocket::FailureKind;
using samples::test_transactions;
using samples::TransactionSeed;

TEST(CorrectTransactionManager, EndsEveryTransactionOnceUnderEveryScheduleOfUpToThreePreemptions) {
  samples::expect_pass_within(3, [] { test_transactions<TransactionSeed::none>(); });
}

TEST(CorrectTransactionManager, EndsEveryTransactionOnceWhenAllAreInOneBucket) {
  samples::expect_pass_within(3, [] { test_transactions<TransactionSeed::none>(1); });
}

TEST(SeededTransactionManager, EndsATransactionTwiceWithTwoPreemptionsWhenTheTimerTrustsItsScan) {
  samples::expect_failure_at(2, FailureKind::check, "ends twice: committed, and then timed out",
      [] { test_transactions<TransactionSeed::trusts_its_scan>(); });
}

TEST(SeededTransactionManager, UsesADestroyedTransactionWithTwoPreemptionsWhenTheTimerHoldsNoReference) {
  samples::expect_failure_at(2, FailureKind::use_after_destruction,
      "timer is about to perform mutex.lock on it",
      [] { test_transactions<TransactionSeed::holds_no_reference>(); });
}

TEST(SeededTransactionManager, LosesATransactionWithThreePreemptionsWhenItRemovesById) {
  samples::expect_failure_at(3, FailureKind::check, "transaction 0 is lost",
      [] { test_transactions<TransactionSeed::removes_by_id>(); });
}

}  // namespace
