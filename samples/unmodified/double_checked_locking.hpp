// A singleton that is made on first use. A thread reads the pointer without the lock, and only if it is null
// does the thread take the lock and read it again. With a plain pointer the writes to the instance are not
// ordered before the reads from it.
#pragma once

#include <atomic>
#include <hocket/hocket.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>

#include "samples/unmodified/version.hpp"

namespace samples::double_checked_locking {

struct Settings {
  int port = 8080;
};

template <Version version>
class SettingsOnDemand {
 public:
  ~SettingsOnDemand() { delete instance_; }

  const Settings& get() {
    if (instance_ == nullptr) {  // @look
      const std::lock_guard lock(mutex_);
      if (instance_ == nullptr) instance_ = new Settings;  // @make
    }
    return *instance_;
  }

 private:
  using Pointer = std::conditional_t<version == Version::buggy, Settings*, std::atomic<Settings*>>;
  std::mutex mutex_;
  Pointer instance_ = nullptr;
};

template <Version version>
void body() {
  SettingsOnDemand<version> settings;
  const auto ask = [&] { hocket::check(settings.get().port == 8080, "settings that are not made yet"); };
  std::thread a(ask);
  std::thread b(ask);
  a.join();
  b.join();
}

}  // namespace samples::double_checked_locking
