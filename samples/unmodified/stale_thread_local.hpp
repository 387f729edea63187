// A price that changes seldom and is read often: each thread keeps a copy together with the number of the
// change from which it comes. If the number rises before the price changes, a thread takes the old price for
// the new one and never reads it again.
#pragma once

#include <atomic>
#include <hocket/hocket.hpp>
#include <mutex>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::stale_thread_local {

template <Version version>
class Price {
 public:
  void set(int price) {
    if constexpr (version == Version::buggy) ++changes_;
    {
      const std::lock_guard lock(mutex_);
      price_ = price;
    }
    if constexpr (version == Version::corrected) ++changes_;
  }
  int get() {
    thread_local int cached_price = 0;
    thread_local int cached_change = -1;
    const int change = changes_;
    if (cached_change != change) {
      const std::lock_guard lock(mutex_);
      cached_price = price_;
      cached_change = change;
    }
    return cached_price;
  }

 private:
  std::mutex mutex_;
  int price_ = 10;
  std::atomic<int> changes_{0};
};

template <Version version>
void body() {
  Price<version> price;
  std::thread setter([&] { price.set(20); });
  price.get();
  setter.join();
  hocket::check(price.get() == 20, "an old price");  // @check
}

}  // namespace samples::stale_thread_local
