// The interface for C++14 and C++17. What its functions mean is tested where those of C++20 are.
#include <hocket/gtest.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <hocket/hocket.hpp>

static_assert(__cplusplus < 201703L, "these tests are about C++14");

namespace {

/// Two threads that increment without care, and what must hold at the end.
void lose_an_increment() {
  std::atomic<int> count{0};
  hocket::name(count, "the count");
  const auto increment = [&count] { count.store(count.load() + 1); };
  std::thread other(increment);
  increment();
  other.join();
  hocket::check(count.load() == 2, "an increment was lost");
}

hocket::Report explored(
    const std::function<void()>& body, hocket::Options options = {}, const std::string& test = "older") {
  for (const char* option : {"no_saved", "keep_going"}) options.emplace_back(option, "1");
  options.emplace_back("out", ::testing::TempDir());
  return hocket::explore(test, body, options);
}

TEST(OlderCode, FindsAFailedCheckAndSaysWhereItIs) {
  const hocket::Report report = explored(lose_an_increment);
  ASSERT_TRUE(report.failed()) << report;
  EXPECT_EQ(report.verdict, "failed");
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_EQ(report.failures.front(), "an increment was lost");
  std::ostringstream text;
  text << report;
  EXPECT_EQ(text.str(), report.text);
  EXPECT_NE(report.text.find("at older_test.cpp:"), std::string::npos) << report;
  EXPECT_NE(report.text.find("atomic.load the count"), std::string::npos) << report;
}

TEST(OlderCode, TakesOptionsByTheNamesOfFlags) {
  const hocket::Report report = explored(lose_an_increment, {{"preemptions", "0"}, {"strategy", "icb"}});
  EXPECT_FALSE(report.failed()) << report;
  EXPECT_EQ(report.verdict, "passed within the bound");
  EXPECT_EQ(report.executions, 2U);
}

std::string complaint_about(const hocket::Options& options) {
  try {
    hocket::explore(
        "older", [] {}, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(OlderCode, RefusesOptionsThatThereAreNot) {
  EXPECT_EQ(complaint_about({{"preemption", "3"}}),
      "hocket: there is no option \"preemption\"; did you mean preemptions? the options are those of the "
      "flags --hocket_…");
  EXPECT_EQ(complaint_about({{"steps", "0"}}), "hocket: steps: \"0\" is not a number from 1 to 1048575");
}

TEST(OlderCode, TriesEachValueAndDropsWhatIsNotAssumed) {
  const hocket::Report report = explored([] {
    const unsigned value = hocket::choose(5);
    hocket::assume(value != 3);
    hocket::check(value < 5);
  });
  EXPECT_FALSE(report.failed()) << report;
  EXPECT_EQ(report.executions, 4U) << report;
}

TEST(OlderCode, AwaitsWithoutPolling) {
  const hocket::Report report = explored([] {
    std::atomic<bool> is_ready{false};
    std::thread other([&is_ready] {
      hocket::name_this_thread("the other");
      is_ready.store(true);
    });
    hocket::await([&is_ready] { return is_ready.load(); });
    hocket::check(is_ready.load());
    other.join();
  });
  EXPECT_EQ(report.verdict, "passed exhaustively") << report;
}

TEST(OlderCode, IsNotPreemptedWhereItForbidsThat) {
  const hocket::Report report = explored([] {
    std::atomic<int> count{0};
    const auto increment = [&count] {
      const hocket::no_preemption guard;
      count.store(count.load() + 1);
    };
    std::thread other(increment);
    increment();
    other.join();
    hocket::check(count.load() == 2);
  });
  EXPECT_EQ(report.verdict, "passed exhaustively") << report;
}

TEST(OlderCode, HasFailingAssertionsOfGoogleTestInItsReports) {
  const hocket::Report report = explored([] {
    std::thread other([] { EXPECT_EQ(1, 2) << "they differ"; });
    other.join();
  });
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_NE(report.failures.front().find("they differ"), std::string::npos) << report;
}

class OlderFixture : public ::testing::Test {
 protected:
  std::mutex mutex_;
  int balance_ = 100;
};

TEST_F(OlderFixture, KeepsEachDeposit) {
  hocket::testing::explore(
      [this] {
        const auto deposit = [this] {
          const std::lock_guard<std::mutex> lock(mutex_);
          balance_ += 10;
        };
        std::thread other(deposit);
        deposit();
        other.join();
        EXPECT_EQ(balance_, 120);
      },
      {{"preemptions", "3"}});
}

HOCKET_TEST(OlderMacro, WaitsForASignal) {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_ready = false;
  std::thread other([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    is_ready = true;
    changed.notify_one();
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return is_ready; });
  }
  other.join();
}

HOCKET_TEST_WITH(OlderMacro, TakesOptions, {{"preemptions", "unbounded"}, {"strategy", "dfs"}}) {
  std::atomic<int> count{0};
  std::thread other([&count] { ++count; });
  ++count;
  other.join();
  EXPECT_EQ(count.load(), 2);
}

/// Two threads that find the count in one section and change it in another, of one block.
void deposit_in_two_sections() {
  std::mutex lock;
  int balance = 0;
  const auto deposit = [&] {
    const hocket::atomic_block block;
    int found = 0;
    {
      const std::lock_guard<std::mutex> guard(lock);
      found = balance;
    }
    const std::lock_guard<std::mutex> guard(lock);
    balance = found + 1;
  };
  std::thread other(deposit);
  deposit();
  other.join();
}

TEST(OlderCode, FailsWhereABlockIsNotAtomic) {
  const hocket::Report report = explored(deposit_in_two_sections);
  ASSERT_TRUE(report.failed()) << report;
  EXPECT_NE(report.text.find("atomicity violation: other threads came between the operations of the block"),
      std::string::npos)
      << report;
  EXPECT_NE(report.text.find("performs mutex.unlock on lock at older_test.cpp:"), std::string::npos)
      << report;
}

}  // namespace
