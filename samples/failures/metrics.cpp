// Metrics that workers add to through a callback. A worker may add while another one prints.
#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>

#include <hocket/gtest.hpp>

namespace {

struct Metric {
  std::string name;
  long total = 0;
  void add(long amount) { total += amount; }
};

class Metrics {
 public:
  void for_each(const std::function<void(Metric&)>& visit) {
    std::lock_guard lock(mutex_);
    std::for_each(metrics_.begin(), metrics_.end(), visit);
  }
  // Forgets the lock, since it only reads.
  long sum() const {
    return std::accumulate(metrics_.begin(), metrics_.end(), 0L,
        [](long sum, const Metric& metric) { return sum + metric.total; });
  }

 private:
  mutable std::mutex mutex_;
  std::array<Metric, 3> metrics_{Metric{"requests"}, Metric{"errors"}, Metric{"bytes"}};
};

}  // namespace

HOCKET_TEST(Failures, RaceThroughInlineFunctionsAndLambdas) {
  static Metrics metrics;
  const auto count_all = [] { metrics.for_each([](Metric& metric) { metric.add(1); }); };
  std::thread worker(count_all);
  const long sum = metrics.sum();
  worker.join();
  EXPECT_LE(sum, 3);
}
