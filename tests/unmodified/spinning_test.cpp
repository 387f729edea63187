// Loops that spin on atomics without a yield, as code does that relies on threads running side by side.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <ostream>
#include <thread>

#include <hocket/hocket.hpp>

#include "tests/expected_failure.hpp"
#include "tests/row_name.hpp"

namespace {

using hocket::test::Right;

/// Two threads that each do it once, and must not at the same time.
template <class Lock, class Unlock>
void exclude(Lock lock, Unlock unlock) {
  int inside = 0;
  const auto enter = [&](int self) {
    lock(self);
    hocket::check(++inside == 1, "two are inside");
    --inside;
    unlock(self);
  };
  std::thread a(enter, 0);
  std::thread b(enter, 1);
  a.join();
  b.join();
}

const Right kSpinning[] = {
    {"ForAFlag",
        [] {
          std::atomic<bool> is_set{false};
          std::thread waiter([&] {
            while (!is_set.load(std::memory_order_acquire)) {
            }
          });
          is_set.store(true, std::memory_order_release);
          waiter.join();
        }},
    {"OnAnAtomicFlag",
        [] {
          std::atomic_flag flag;
          exclude(
              [&](int) {
                while (flag.test_and_set()) {
                }
              },
              [&](int) { flag.clear(); });
        }},
    {"WithCompareExchange",
        [] {
          std::atomic<int> owner{-1};
          exclude(
              [&](int self) {
                for (int nobody = -1; !owner.compare_exchange_weak(nobody, self); nobody = -1) {
                }
              },
              [&](int) { owner = -1; });
        }},
    {"WithTickets",
        [] {
          std::atomic<int> next{0};
          std::atomic<int> serving{0};
          exclude(
              [&](int) {
                const int mine = next++;
                while (serving != mine) {
                }
              },
              [&](int) { ++serving; });
        }},
    {"OnTwoAtomicsAsPetersonDoes",
        [] {
          std::atomic<bool> wants[2] = {false, false};
          std::atomic<int> last{0};
          exclude(
              [&](int self) {
                wants[self] = true;
                last = self;
                while (wants[1 - self] && last == self) {
                }
              },
              [&](int self) { wants[self] = false; });
        }},
    {"InsideAtomicSharedPtr",
        [] {
          std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(1)};
          std::thread writer([&] { shared.store(std::make_shared<int>(2)); });
          const std::shared_ptr<int> found = shared.load();
          hocket::check(*found == 1 || *found == 2, "a value that nobody wrote");
          writer.join();
        }},
};

class Spinning : public testing::TestWithParam<Right> {};

TEST_P(Spinning, LetsOthersGoOn) {
  hocket::test::expect_to_pass(GetParam().body, {.max_preemptions = 1, .save_schedules = false});
}

INSTANTIATE_TEST_SUITE_P(Loops, Spinning, testing::ValuesIn(kSpinning), hocket::test::RowName());

/// What is here somebody else may know. Clang leaves out loops on objects that nobody else can know.
std::atomic<bool>* volatile shared;

TEST(SpinningForEver, IsReportedAsALivelock) {
  const hocket::Report report = hocket::explore(
      "for ever",
      [] {
        std::atomic<bool> is_set{false};
        shared = &is_set;
        while (!is_set) {
        }
      },
      hocket::test::quietly());
  ASSERT_EQ(report.verdict, hocket::Verdict::failed) << report;
  EXPECT_EQ(report.failures.at(0).kind, hocket::FailureKind::livelock) << report;
}

}  // namespace
