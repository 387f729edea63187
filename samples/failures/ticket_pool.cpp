// A pool of tickets from which three shops sell, found by random schedules.
#include <array>
#include <atomic>
#include <thread>

#include <hocket/gtest.hpp>

namespace {

class TicketPool {
 public:
  explicit TicketPool(int tickets) : left_(tickets) {}

  bool sell() {
    const int left = left_.load();
    if (left == 0) return false;
    sold_.fetch_add(1);
    left_.store(left - 1);  // another shop may have sold one since
    return true;
  }
  int sold() const { return sold_.load(); }

 private:
  std::atomic<int> left_;
  std::atomic<int> sold_ = 0;
};

}  // namespace

HOCKET_TEST_WITH(Failures, RandomScheduleWithManyPreemptions, {.strategy = "random", .seed = 7}) {
  constexpr int kTickets = 12;
  TicketPool pool(kTickets);
  std::array<std::thread, 3> shops;
  for (std::thread& shop : shops)
    shop = std::thread([&pool] {
      while (pool.sell()) {
      }
    });
  for (std::thread& shop : shops) shop.join();
  EXPECT_EQ(pool.sold(), kTickets);
}
