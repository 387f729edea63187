// Loops that spin on atomics without a yield, as code does that relies on threads running side by side.
#include <gtest/gtest.h>

#include <semaphore.h>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

#include "tests/support/expected_failure.hpp"
#include "tests/support/row_name.hpp"

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
    {"WithTriesOfAMutex",
        [] {
          std::mutex mutex;
          exclude(
              [&](int) {
                while (!mutex.try_lock()) {
                }
              },
              [&](int) { mutex.unlock(); });
        }},
    {"WithTriesOfASharedMutex",
        [] {
          std::shared_mutex mutex;
          exclude(
              [&](int) {
                while (!mutex.try_lock()) {
                }
              },
              [&](int) { mutex.unlock(); });
        }},
    {"WithTriesOfASemaphore",
        [] {
          std::binary_semaphore permits(1);
          exclude(
              [&](int) {
                while (!permits.try_acquire()) {
                }
              },
              [&](int) { permits.release(); });
        }},
    {"WithTriesOfASemT",
        [] {
          sem_t permits;
          sem_init(&permits, 0, 1);
          exclude(
              [&](int) {
                while (sem_trywait(&permits) != 0) {
                }
              },
              [&](int) { sem_post(&permits); });
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

/// Looks for `polls` rounds at most and then gives up, which the other thread must not live to see.
template <class Types>
void poll_and_give_up(int polls) {
  typename Types::Int ready{0};
  typename Types::Int gave_up{0};
  typename Types::Thread other([&] {
    ready.store(1);
    hocket::check(gave_up.load() == 0, "nobody is there any more");
  });
  for (int n = 0; n != polls && ready.load() == 0; ++n) {
  }
  if (ready.load() == 0) gave_up.store(1);
  other.join();
}
struct Std {
  using Int = std::atomic<int>;
  using Thread = std::thread;
};
struct Hocket {
  using Int = hocket::atomic<int>;
  using Thread = hocket::thread;
};

hocket::Report explored(
    const std::function<void()>& body, const char* strategy = "icb", unsigned last_bound = 2) {
  return hocket::explore("polling", body, hocket::test::with(strategy, last_bound));
}

TEST(SpinningWithTries, WorksUnderReductions) {
  for (const char* strategy : {"cb-por", "hb-cache"}) {
    const hocket::Report report = explored(
        [] {
          std::mutex mutex;
          std::atomic<int> inside{0};
          const auto enter = [&] {
            while (!mutex.try_lock()) {
            }
            hocket::check(++inside == 1, "two are inside");
            --inside;
            mutex.unlock();
          };
          std::thread other(enter);
          enter();
          other.join();
        },
        strategy);
    EXPECT_EQ(report.verdict, hocket::Verdict::passed_exhaustively) << strategy << report;
  }
}

TEST(APollThatGivesUp, IsRunToItsEndWithoutAPreemptionAsWithHocketsTypes) {
  for (const char* strategy : {"icb", "cb-por", "hb-cache"}) {
    for (const auto& body : {poll_and_give_up<Std>, poll_and_give_up<Hocket>}) {
      const hocket::Report report = explored([&] { body(100); }, strategy);
      ASSERT_EQ(report.failures.size(), 1U) << report;
      EXPECT_EQ(report.failures[0].bound, 0U) << report;
      EXPECT_EQ(report.note, "");
    }
  }
}

int attempts = 0;

TEST(APollThatGivesUp, MayCountItsAttemptsInAGlobalVariable) {
  const hocket::Report report = explored([] {
    std::atomic<bool> is_set{false};
    std::thread other([&] { is_set = true; });
    for (attempts = 0; attempts < 50 && !is_set.load(); ++attempts) {
    }
    hocket::check(is_set.load(), "gave up");
    other.join();
  });
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_EQ(report.failures[0].bound, 0U) << report;
}

TEST(APollThatGivesUp, MayDoSoByARandomNumber) {
  const hocket::Report report = explored([] {
    std::atomic<bool> is_set{false};
    std::thread other([&] { is_set = true; });
    srand(1);
    while (!is_set.load() && rand() % 8 != 0) {
    }
    hocket::check(is_set.load(), "gave up");
    other.join();
  });
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_EQ(report.failures[0].bound, 0U) << report;
}

TEST(ALongPoll, CostsPreemptionsIfOthersRunMeanwhileAndTheReportSaysSo) {
  const hocket::Report fails = explored([] { poll_and_give_up<Std>(300); });
  ASSERT_EQ(fails.failures.size(), 1U) << fails;
  EXPECT_EQ(fails.failures[0].bound, 0U) << fails;
  const hocket::Report passes = explored(
      [] {
        std::atomic<bool> is_set{false};
        std::thread other([&] { is_set = true; });
        for (attempts = 0; !is_set.load(); ++attempts) {
        }
        other.join();
      },
      "icb", 1);
  EXPECT_EQ(passes.verdict, hocket::Verdict::passed_within_bound) << passes;
  EXPECT_NE(passes.note.find("a loop that polls at spinning_test.cpp:"), std::string::npos) << passes;
}

/// The numbers are GenMC's, for its program SharedPtr with a hundred reads.
TEST(ALoopOfReads, ThatWaitsForNobodyIsAsManyReads) {
  const hocket::Report report = hocket::explore(
      "many reads",
      [] {
        std::atomic<int> x{0};
        std::atomic<int> y{0};
        std::atomic<int> is_ready{0};
        std::atomic<std::atomic<int>*> chosen{nullptr};
        const auto run = [&](std::atomic<int>& mine, std::atomic<int>& other) {
          int sum = 0;
          hocket::assume(is_ready.load() == 1);
          chosen.store(&mine);
          for (int n = 0; n < 100; ++n) sum += other.load();
          std::atomic<int>* const target = chosen.load();
          target->store(target->load() + 3);
          return sum;
        };
        x.store(3);
        y.store(4);
        is_ready.store(1);
        std::thread a([&] { run(y, x); });
        std::thread b([&] { run(x, y); });
        a.join();
        b.join();
      },
      hocket::test::with("cb-por"));
  std::vector<std::uint64_t> classes;
  for (const hocket::BoundReport& bound : report.bounds)
    classes.push_back(bound.classes + (classes.empty() ? 0 : classes.back()));
  EXPECT_EQ(classes, (std::vector<std::uint64_t>{2, 206, 408, 410})) << report;
  EXPECT_EQ(report.note, "");
}

/// What is here somebody else may know. Clang leaves out loops on objects that nobody else can know.
std::atomic<bool>* volatile known_elsewhere;

TEST(SpinningForEver, IsReportedAsALivelock) {
  const hocket::Report report = hocket::explore(
      "for ever",
      [] {
        std::atomic<bool> is_set{false};
        known_elsewhere = &is_set;
        while (!is_set) {
        }
      },
      hocket::test::quietly());
  ASSERT_EQ(report.verdict, hocket::Verdict::failed) << report;
  EXPECT_EQ(report.failures.at(0).kind, hocket::FailureKind::livelock) << report;
}

}  // namespace
