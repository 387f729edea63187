// Money is moved between accounts, each of which has its own lock: two threads that move money in opposite
// directions wait for each other.
#pragma once

#include <mutex>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::lock_order {

struct Account {
  std::mutex mutex;
  int balance = 100;
};

template <Version version>
void move(Account& from, Account& to, int amount) {
  if constexpr (version == Version::buggy) {
    const std::lock_guard first(from.mutex);  // @first
    const std::lock_guard second(to.mutex);   // @second
    from.balance -= amount;
    to.balance += amount;
  } else {
    const std::scoped_lock both(from.mutex, to.mutex);
    from.balance -= amount;
    to.balance += amount;
  }
}

inline Account savings;
inline Account household;

template <Version version>
void body() {
  std::thread other([] { move<version>(savings, household, 10); });
  move<version>(household, savings, 20);
  other.join();
}

}  // namespace samples::lock_order
