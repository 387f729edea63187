// Transfers between accounts, each of which has its lock.
#include <array>
#include <mutex>
#include <thread>
#include <vector>

#include <hocket/gtest.hpp>

namespace {

struct Account {
  std::mutex mutex;
  long balance = 100;
};

class Bank {
 public:
  void transfer(std::size_t from, std::size_t to, long amount) {
    std::lock_guard from_lock(accounts_[from].mutex);
    std::lock_guard to_lock(accounts_[to].mutex);
    accounts_[from].balance -= amount;
    accounts_[to].balance += amount;
  }

 private:
  std::array<Account, 3> accounts_;
};

}  // namespace

HOCKET_TEST(Failures, DeadlockOfThreeLocks) {
  Bank bank;
  std::vector<std::thread> clerks;
  for (std::size_t n = 0; n < 3; ++n) clerks.emplace_back([&bank, n] { bank.transfer(n, (n + 1) % 3, 10); });
  for (std::thread& clerk : clerks) clerk.join();
}
