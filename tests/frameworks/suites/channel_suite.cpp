// The tests that such a library has, with GoogleTest: many threads, sleeps, waits of the test's own.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "channel.hpp"

namespace {

using namespace std::chrono_literals;
using suites::Channel;

TEST(ChannelTest, GivesBackWhatItTook) {
  Channel<int> channel{10};
  const int in = 1;
  channel << in << 2;
  int out = 0;
  channel >> out;
  EXPECT_EQ(1, out);
  EXPECT_EQ(1, channel.size());
  EXPECT_FALSE(channel.empty());
}

TEST(ChannelTest, TakesNothingOnceItIsClosed) {
  Channel<std::string> channel{10};
  channel << "last";
  channel.close();
  EXPECT_TRUE(channel.closed());
  std::string out;
  channel >> out;
  EXPECT_EQ("last", out);
  EXPECT_THROW(channel << "too late", suites::ClosedChannel);
}

TEST(ChannelTest, IsReadByALoop) {
  Channel<int> channel{10};
  for (const int in : {1, 2, 3, 4, 5}) channel << in;
  channel.close();
  int sum = 0;
  for (const int out : channel) sum += out;
  EXPECT_EQ(15, sum);
}

TEST(ChannelTest, ALoopWaitsForValues) {
  Channel<int> channel{10};
  std::atomic<int> seen{0};
  std::thread reader([&] {
    for (const int out : channel) seen += out;
  });
  std::this_thread::sleep_for(50ms);
  channel << 3;
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(3, seen);
  channel.close();
  reader.join();
}

TEST(ChannelTest, AWriterWaitsForRoom) {
  Channel<int> channel{1};
  channel << 1;
  auto writer = std::async(std::launch::async, [&] { channel << 2; });
  EXPECT_EQ(std::future_status::timeout, writer.wait_for(100ms));
  int out = 0;
  channel >> out >> out;
  writer.get();
  EXPECT_EQ(2, out);
}

class ManyThreads : public ::testing::Test {
 protected:
  void SetUp() override { started_ = false; }
  void TearDown() override {
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

  void start(std::size_t readers) {
    left_ = readers;
    for (std::size_t n = 0; n < readers; ++n) {
      threads_.emplace_back([this] {
        {
          std::unique_lock<std::mutex> lock{read_mutex_};
          read_condition_.wait(lock, [this] { return started_; });
        }
        for (const int out : channel_) {
          if (out == 0) continue;  // another one took the last value
          sum_ += out;
          ++count_;
        }
        const std::lock_guard<std::mutex> lock{end_mutex_};
        --left_;
        end_condition_.notify_one();
      });
    }
  }
  void send(int numbers) {
    for (int n = 1; n <= numbers; ++n) {
      channel_ << n;
      if (n == 1) {
        const std::lock_guard<std::mutex> lock{read_mutex_};
        started_ = true;
        read_condition_.notify_all();
      }
    }
    channel_.close();
    std::unique_lock<std::mutex> lock{end_mutex_};
    end_condition_.wait(lock, [this] { return left_ == 0; });
  }

  Channel<int> channel_{10};
  std::vector<std::thread> threads_;
  std::mutex read_mutex_;
  std::condition_variable read_condition_;
  bool started_ = false;
  std::mutex end_mutex_;
  std::condition_variable end_condition_;
  std::size_t left_ = 0;
  std::atomic<std::int64_t> sum_{0};
  std::atomic<int> count_{0};
};

TEST_F(ManyThreads, ReadAllThatOneWrites) {
  constexpr int kNumbers = 500;
  start(100);
  send(kNumbers);
  EXPECT_EQ(kNumbers, count_);
  EXPECT_EQ(kNumbers * (kNumbers + 1) / 2, sum_);
}

TEST_F(ManyThreads, TwoReadAllThatOneWrites) {
  start(2);
  send(3);
  EXPECT_EQ(3, count_);
  EXPECT_EQ(6, sum_);
}

class OfCapacity : public ::testing::TestWithParam<std::size_t> {};

TEST_P(OfCapacity, CarriesSharedValues) {
  Channel<std::shared_ptr<int>> channel{GetParam()};
  const auto value = std::make_shared<int>(7);
  std::thread writer([&] { channel << value << value; });
  std::array<std::shared_ptr<int>, 2> out;
  channel >> out[0] >> out[1];
  writer.join();
  EXPECT_EQ(7, *out[1]);
  EXPECT_EQ(3, value.use_count());
}

INSTANTIATE_TEST_SUITE_P(Capacities, OfCapacity, ::testing::Values(0, 1, 2));

}  // namespace
