// A bounded channel of hocket:: types, compiled without instrumentation. Producers and consumers share one
// condition variable, of which a notification wakes one.
#include <deque>
#include <mutex>

#include <hocket/gtest.hpp>

namespace {

class Channel {
 public:
  void send(int value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return values_.size() < kCapacity; });
    values_.push_back(value);
    changed_.notify_one();
  }
  int receive() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !values_.empty(); });
    const int value = values_.front();
    values_.pop_front();
    changed_.notify_one();
    return value;
  }

 private:
  static constexpr std::size_t kCapacity = 1;

  hocket::mutex mutex_;
  hocket::condition_variable changed_;
  std::deque<int> values_;
};

}  // namespace

HOCKET_TEST(Failures, UninstrumentedTestOfHocketTypes) {
  Channel channel;
  hocket::thread first_consumer([&] { channel.receive(); });
  hocket::thread second_consumer([&] { channel.receive(); });
  hocket::thread producer([&] { channel.send(1); });
  channel.send(2);
  producer.join();
  first_consumer.join();
  second_consumer.join();
}
