// A cache that is read under a shared lock. A thread that does not find its entry locks for writing while it
// still holds the lock for reading: it waits for itself.
#pragma once

#include <hocket/hocket.hpp>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::rwlock_upgrade {

template <Version version>
class Cache {
 public:
  int square_of(int number) {
    std::shared_lock reading(mutex_);  // @read
    if (const auto found = squares_.find(number); found != squares_.end()) return found->second;
    if constexpr (version == Version::corrected) reading.unlock();
    const std::unique_lock writing(mutex_);  // @write
    return squares_.emplace(number, number * number).first->second;
  }

 private:
  std::shared_mutex mutex_;
  std::map<int, int> squares_;
};

template <Version version>
void body() {
  Cache<version> cache;
  const auto ask = [&] { hocket::check(cache.square_of(3) == 9, "a wrong square"); };
  std::thread other(ask);
  ask();
  other.join();
}

}  // namespace samples::rwlock_upgrade
