// Deadlocks that a search has not come to, which the orders in which threads take locks lead to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "tests/support/bodies.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/random_tries.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// As many threads as locks, each of which takes its own and then the next one's.
template <std::size_t kCount>
void dine() {
  std::array<mutex, kCount> forks;
  std::vector<thread> all;
  for (std::size_t n = 0; n < kCount; ++n) {
    all.emplace_back([&, n] {
      const std::lock_guard own(forks.at(n));
      const std::lock_guard next(forks.at((n + 1) % kCount));
    });
  }
  for (thread& each : all) each.join();
}

Options without_preemptions(const std::string& strategy = "auto") {
  return with(strategy, 0);
}

Report searched(const std::function<void()>& body, const Options& options = without_preemptions()) {
  return explore("locks", body, options);
}

/// A sample is never all, so the lock orders are looked at.
void expect_pass(const std::function<void()>& body) {
  Options options = without_preemptions("random");
  options.max_executions = 1;
  const Report report = searched(body, options);
  EXPECT_EQ(report.verdict, Verdict::passed_sample) << report;
}

TEST(LockOrders, LeadToADeadlockThatTheSearchHasNotComeTo) {
  for (const char* const strategy : {"auto", "icb", "dfs", "dpor"}) {
    Options options = without_preemptions(strategy);
    options.max_executions = 1;
    const Report report = searched(&dine<4>, options);
    ASSERT_EQ(report.verdict, Verdict::failed) << strategy << report;
    EXPECT_EQ(report.failures.at(0).kind, FailureKind::deadlock);
    EXPECT_GE(report.failures.at(0).bound, 1U);
    EXPECT_THAT(report.note, HasSubstr("threads that take locks in different orders"));
  }
}

TEST(LockOrders, LeadToAScheduleThatReplays) {
  const Folder folder;
  Options options = without_preemptions();
  options.save_schedules = true;
  options.schedule_dir = folder.path();
  const Report found = searched(&dine<3>, options);
  ASSERT_TRUE(found.failed()) << found;
  options.replay = found.failures.at(0).schedule_file;
  const Report again = searched(&dine<3>, options);
  EXPECT_EQ(again.failures.at(0).kind, FailureKind::deadlock) << again;
}

TEST(LockOrders, AreNotLookedAtWithoutTheirDetector) {
  Options options = without_preemptions();
  options.detect = Detectors().without(Detector::lock_orders);
  EXPECT_EQ(searched(&dine<3>, options).verdict, Verdict::passed_within_bound);
}

TEST(LockOrders, LeadNowhereUnderALockAroundThem) {
  expect_pass([] {
    mutex gate, one, other;
    in_parallel(
        [&] {
          const std::lock_guard around(gate);
          const std::lock_guard first(one);
          const std::lock_guard second(other);
        },
        [&] {
          const std::lock_guard around(gate);
          const std::lock_guard first(other);
          const std::lock_guard second(one);
        });
  });
}

TEST(LockOrders, LeadNowhereAfterAJoin) {
  expect_pass([] {
    mutex one, other;
    thread([&] {
      const std::lock_guard first(one);
      const std::lock_guard second(other);
    }).join();
    thread([&] {
      const std::lock_guard first(other);
      const std::lock_guard second(one);
    }).join();
  });
}

TEST(LockOrders, LeadNowhereWhereThreadsAreOrderedOtherwise) {
  expect_pass([] {
    mutex one, other;
    binary_semaphore is_done(0);
    in_parallel(
        [&] {
          {
            const std::lock_guard first(one);
            const std::lock_guard second(other);
          }
          is_done.release();
        },
        [&] {
          is_done.acquire();
          const std::lock_guard first(other);
          const std::lock_guard second(one);
        });
  });
}

TEST(LockOrders, LeadNowhereWhereNobodyWaits) {
  expect_pass([] {
    mutex one, other;
    in_parallel(
        [&] {
          const std::lock_guard first(one);
          if (other.try_lock()) other.unlock();
        },
        [&] {
          const std::lock_guard first(other);
          if (one.try_lock()) one.unlock();
        });
  });
  expect_pass([] {
    shared_mutex one, other;
    in_parallel(
        [&] {
          one.lock_shared(), other.lock_shared();
          one.unlock_shared(), other.unlock_shared();
        },
        [&] {
          other.lock_shared(), one.lock_shared();
          other.unlock_shared(), one.unlock_shared();
        });
  });
}

TEST(LockOrders, IncludeSharedLocksThatExcludeAWriter) {
  EXPECT_TRUE(searched([] {
    shared_mutex one, other;
    in_parallel(
        [&] {
          one.lock_shared(), other.lock();
          one.unlock_shared(), other.unlock();
        },
        [&] {
          other.lock_shared(), one.lock();
          other.unlock_shared(), one.unlock();
        });
  }).failed());
}

TEST(LockOrders, IncludeTheLockThatAWaitTakesAgain) {
  Options options = without_preemptions();
  options.max_executions = 1;
  const Report report = searched(
      [] {
        mutex outer, inner;
        condition_variable changed;
        bool is_set = false;
        in_parallel(
            [&] {
              const std::lock_guard first(outer);
              std::unique_lock second(inner);
              changed.wait(second, [&] { return is_set; });
            },
            [&] {
              {
                const std::lock_guard lock(inner);
                is_set = true;
              }
              changed.notify_one();
            },
            [&] {
              const std::lock_guard first(inner);
              const std::lock_guard second(outer);
            });
      },
      options);
  EXPECT_TRUE(report.failed()) << report;
  EXPECT_THAT(report.note, HasSubstr("threads that take locks in different orders"));
}

TEST(LockOrders, AreFollowedFromTheThreadThatNeedsTheLockBefore) {
  EXPECT_TRUE(searched([] {
    mutex one, other;
    in_parallel(
        [&] {
          const std::lock_guard first(one);
          const std::lock_guard second(other);
        },
        [&] {
          { const std::lock_guard before(one); }
          const std::lock_guard first(other);
          const std::lock_guard second(one);
        });
  }).failed());
}

TEST(LockOrders, AreThoseOfLocksThatAreTakenAgainAndAgain) {
  EXPECT_TRUE(searched([] {
    mutex one, other, third, fourth;
    binary_semaphore is_done(0);
    for (int n = 0; n != 300; ++n) {
      const std::lock_guard first(one);
      const std::lock_guard second(other);
    }
    in_parallel(
        [&] {
          for (int n = 0; n != 4; ++n) {
            const std::lock_guard first(one);
            const std::lock_guard second(other);
          }
          is_done.release();
          const std::lock_guard first(third);
          const std::lock_guard second(fourth);
        },
        [&] {
          is_done.acquire();
          for (int n = 0; n != 4; ++n) {
            const std::lock_guard first(other);
            const std::lock_guard second(one);
          }
          const std::lock_guard first(fourth);
          const std::lock_guard second(third);
        });
  }).failed());
}

TEST(LockOrders, OfOtherThreadsAreFollowedAfterHarmlessOnesOfTheSameLocks) {
  EXPECT_TRUE(searched([] {
    mutex one, other;
    binary_semaphore is_done(0);
    const auto pass = [](mutex& first, mutex& second) {
      for (int n = 0; n != 2; ++n) {
        const std::lock_guard outer(first);
        const std::lock_guard inner(second);
      }
    };
    in_parallel([&] { pass(one, other), is_done.release(); }, [&] { is_done.acquire(), pass(other, one); },
        [&] { pass(other, one); });
  }).failed());
}

TEST(LockOrders, LeadToAReportThatSaysWhichSchedulesPassed) {
  Report report = searched(&dine<4>, without_preemptions("icb"));
  ASSERT_TRUE(report.failed()) << report;
  ASSERT_GT(report.failures.at(0).found_bound, 2U) << report;
  EXPECT_THAT(to_text(report), HasSubstr(" schedules without preemptions passed."));
  report.bounds.push_back({.executions = 7, .classes = 7, .failures = 0, .complete = true});
  EXPECT_THAT(to_text(report), HasSubstr(" schedules with at most 1 preemption passed."));
}

TEST(LockOrders, LeadToNothingThatCountsIfTheFailureIsSuppressed) {
  const Folder folder;
  Options options = without_preemptions();
  options.suppressions = (std::filesystem::path(folder.path()) / "known").string();
  std::ofstream(options.suppressions) << "deadlock:*\n";
  Options plain = options;
  plain.detect = Detectors().without(Detector::lock_orders);
  const Report report = searched(&dine<3>, options);
  const Report without = searched(&dine<3>, plain);
  EXPECT_FALSE(report.failed()) << report;
  EXPECT_EQ(report.executions, without.executions);
  EXPECT_EQ(report.failed_classes, without.failed_classes);
}

TEST(LockOrders, LeadToWhateverElseFailsThere) {
  const Report report = searched([] {
    mutex one, other, guard;
    int inside = 0;
    const auto pass = [&](mutex& first, mutex& second) {
      const std::lock_guard outer(first);
      {
        const std::lock_guard lock(guard);
        check(++inside == 1, "two are inside");
      }
      const std::lock_guard inner(second);
      const std::lock_guard lock(guard);
      --inside;
    };
    in_parallel([&] { pass(one, other); }, [&] { pass(other, one); });
  });
  ASSERT_TRUE(report.failed()) << report;
  EXPECT_EQ(report.failures.at(0).message, "two are inside");
}

TEST(LockOrders, LeadToThreadsThatAreWaitedForByPolls) {
  const Report report = searched([] {
    mutex one, other;
    atomic<int> done(0);
    const auto pass = [&](mutex& first, mutex& second) {
      {
        const std::lock_guard outer(first);
        const std::lock_guard inner(second);
      }
      ++done;
    };
    in_parallel([&] { pass(one, other); }, [&] { pass(other, one); },
        [&] {
          while (done != 2) this_thread::yield();
        });
  });
  ASSERT_TRUE(report.failed()) << report;
  EXPECT_EQ(report.failures.at(0).kind, FailureKind::livelock);
}

TEST(LockOrders, AreAllFollowedByASearchThatKeepsGoing) {
  Options options = without_preemptions();
  options.keep_going = true;
  const Report report = searched(
      [] {
        mutex one, other, third, fourth;
        const auto pass = [](mutex& first, mutex& second) {
          first.lock(), second.lock();
          first.unlock(), second.unlock();
        };
        const auto pass_elsewhere = [](mutex& first, mutex& second) {
          first.lock(), second.lock();
          first.unlock(), second.unlock();
        };
        in_parallel([&] { pass(one, other), pass_elsewhere(third, fourth); },
            [&] { pass(other, one), pass_elsewhere(fourth, third); });
      },
      options);
  EXPECT_EQ(report.failures.size(), 2U) << report;
}

/// What a thread does: takes the locks with these numbers one after the other, and in place of a number that
/// it has gives back the one that it took last.
using Takings = std::vector<std::vector<unsigned>>;

void run(const Takings& program) {
  std::array<mutex, 3> locks;
  std::vector<thread> all;
  for (const std::vector<unsigned>& takings : program) {
    all.emplace_back([&] {
      std::vector<unsigned> held;
      for (const unsigned lock : takings) {
        if (std::find(held.begin(), held.end(), lock) == held.end()) {
          locks.at(lock).lock();
          held.push_back(lock);
        } else {
          locks.at(held.back()).unlock();
          held.pop_back();
        }
      }
      for (const unsigned lock : held) locks.at(lock).unlock();
    });
  }
  for (thread& each : all) each.join();
}

TEST(LockOrders, LeadToMostDeadlocksOfRandomProgramsAndToNoOther) {
  RandomTries tries;
  unsigned deadlocks = 0;
  unsigned found = 0;
  while (tries.goes_on()) {
    std::mt19937 random(static_cast<std::uint32_t>(tries.seed() + tries.tried()));
    const auto below = [&random](unsigned end) { return static_cast<unsigned>(random() % end); };
    Takings program(2 + below(2));
    for (std::vector<unsigned>& takings : program) {
      for (unsigned left = 1 + below(4); left != 0; --left) takings.push_back(below(3));
    }
    const auto body = [&] { run(program); };
    const bool is_there = searched(body, exhaustively()).failed();
    const bool is_found = searched(body).failed();
    ASSERT_TRUE(is_there || !is_found) << "program " << tries.tried();
    deadlocks += is_there ? 1 : 0;
    found += is_found ? 1 : 0;
  }
  std::cout << "found " << found << " of " << deadlocks << " deadlocks\n";
  EXPECT_TRUE(!tries.are_many() || found * 10 >= deadlocks * 9);
}

}  // namespace

}  // namespace hocket::test
