// Thirty workers, of whom one loads the configuration that all others use.
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <hocket/gtest.hpp>

namespace {

struct Configuration {
  int port = 80;
};

class Crew {
 public:
  void work(int number) {
    if (number == 0) load();
    std::lock_guard lock(mutex_);
    ASSERT_NE(configuration_.load(), nullptr)
        << "worker " << number << " began before the configuration was there";
    ports_ += configuration_.load()->port;
  }

 private:
  void load() {
    static Configuration configuration;
    configuration_.store(&configuration);
  }

  std::mutex mutex_;
  std::atomic<Configuration*> configuration_ = nullptr;
  int ports_ = 0;
};

}  // namespace

HOCKET_TEST_WITH(Failures, ThirtyThreads, {.strategy = "mix"}) {
  Crew crew;
  std::vector<std::thread> workers;
  for (int number = 0; number < 30; ++number) workers.emplace_back([&crew, number] { crew.work(number); });
  for (std::thread& worker : workers) worker.join();
}
