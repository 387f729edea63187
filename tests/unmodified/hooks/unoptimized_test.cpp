// Compiled without optimisation, where functions of the standard library are not inlined.
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(AnAtomicStdSharedPtr, RacesWithNobodyWhereNothingIsInlined) {
  explored(within(1), [] {
    std::atomic<std::shared_ptr<unsigned>> shared{std::make_shared<unsigned>(1)};
    in_parallel([&] { shared.store(std::make_shared<unsigned>(2)); }, [&] { check(*shared.load() != 0); });
    check(*shared.load() == 2);
  });
}

// -- Polls through functions, whose frames have bytes in them that nobody writes

TEST(APollWhereNothingIsInlined, ThatNobodyEndsIsALivelock) {
  using namespace std::chrono_literals;
  expect_failure(FailureKind::livelock, 0, "thread 1 polls", [] {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread poller([&] {
      while (future.wait_for(0s) != std::future_status::ready) std::this_thread::yield();
    });
    poller.join();
  });
  expect_failure(FailureKind::livelock, 0, "thread 1 polls", [] {
    std::stop_source source;
    std::thread poller([&] {
      const std::stop_token token = source.get_token();
      while (!token.stop_requested()) std::this_thread::yield();
    });
    poller.join();
  });
}

TEST(APollWhereNothingIsInlined, WaitsUntilSomebodyEndsIt) {
  using namespace std::chrono_literals;
  explored_everywhere([] {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread poller([&] {
      while (future.wait_for(0s) != std::future_status::ready) {
      }
    });
    promise.set_value(1);
    poller.join();
  });
}

}  // namespace

}  // namespace unmodified
