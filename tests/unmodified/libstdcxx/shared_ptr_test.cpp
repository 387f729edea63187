// The counts of std::shared_ptr and std::weak_ptr, and std::atomic of them.
#include <atomic>
#include <memory>
#include <thread>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(AStdSharedPtr, IsDestroyedByWhoeverLetsGoLast) {
  static int by;
  const Outcomes outcomes = outcomes_by_bound([] {
    by = 0;
    struct Witness {
      int self = 0;
    };
    thread_local int me = 0;
    auto shared = std::shared_ptr<Witness>(new Witness, [](const Witness* witness) {
      by = me;
      delete witness;
    });
    std::thread a([shared]() mutable {
      me = 1;
      shared.reset();
    });
    std::thread b([shared]() mutable {
      me = 2;
      shared.reset();
    });
    shared.reset();
    a.join();
    b.join();
    return static_cast<unsigned>(by);
  });
  // Copying for the second thread is a step of main, so that the first goes on before main at a price.
  EXPECT_EQ(outcomes, (Outcomes{{0, 1}, {1, 0}, {2, 0}}));
}

TEST(AStdSharedPtr, OrdersTheLastUseBeforeTheDestructor) {
  explored(within(2), [] {
    auto shared = std::make_shared<int>(1);
    std::thread a([mine = shared]() mutable {
      check(*mine == 1);
      mine.reset();
    });
    std::thread b([mine = shared]() mutable {
      check(*mine == 1);
      mine.reset();
    });
    shared.reset();
    a.join();
    b.join();
  });
}

TEST(AStdSharedPtr, ThatTwoThreadsChangeIsADataRace) {
  expect_failure(FailureKind::data_race, 0, "not ordered after", [] {
    auto shared = std::make_shared<int>(1);
    in_parallel([&] { shared = std::make_shared<int>(2); }, [&] { shared.reset(); });
  });
}

TEST(AStdWeakPtr, IsLockedOnlyAsLongAsTheObjectLives) {
  const Outcomes outcomes = outcomes_by_bound([] {
    auto shared = std::make_shared<int>(5);
    const std::weak_ptr<int> weak = shared;
    unsigned got = 0;
    in_parallel([&] { shared.reset(); },
        [&] {
          if (const std::shared_ptr<int> locked = weak.lock()) {
            check(*locked == 5);
            got = 1;
          }
        });
    return got;
  });
  EXPECT_EQ(outcomes, (Outcomes{{0, 0}, {1, 0}}));
}

TEST(AnAtomicStdSharedPtr, IsReadWholeWhileAnotherThreadStores) {
  const Outcomes outcomes = outcomes_by_bound(
      [] {
        std::atomic<std::shared_ptr<unsigned>> shared{std::make_shared<unsigned>(1)};
        unsigned seen = 0;
        in_parallel([&] { shared.store(std::make_shared<unsigned>(2)); }, [&] { seen = *shared.load(); });
        check(*shared.load() == 2);
        return seen;
      },
      exhaustively(), 1);
  EXPECT_EQ(outcomes, (Outcomes{{1, 0}, {2, 0}}));
}

TEST(AnAtomicStdSharedPtr, ComparesAndExchanges) {
  explored(within(1), [] {
    const auto first = std::make_shared<int>(1);
    std::atomic<std::shared_ptr<int>> shared{first};
    std::atomic<int> winners{0};
    const auto claim = [&] {
      auto expected = first;
      if (shared.compare_exchange_strong(expected, std::make_shared<int>(2))) winners.fetch_add(1);
    };
    in_parallel(claim, claim);
    check(winners.load() == 1);
  });
}

}  // namespace

}  // namespace unmodified
