// Settings that are replaced while the program runs. Readers find them through an atomic pointer, but having
// the pointer does not keep the settings alive.
#pragma once

#include <atomic>
#include <hocket/hocket.hpp>
#include <memory>
#include <mutex>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::use_after_free {

struct Settings {
  int timeout;
};

template <Version version>
class CurrentSettings;

template <>
class CurrentSettings<Version::buggy> {
 public:
  ~CurrentSettings() { delete current_.load(); }
  void replace(int timeout) {
    delete current_.exchange(new Settings{timeout});  // @free
  }
  int timeout() const {
    const Settings* const settings = current_.load();
    return settings->timeout;  // @read
  }

 private:
  std::atomic<Settings*> current_{new Settings{10}};
};

template <>
class CurrentSettings<Version::corrected> {
 public:
  void replace(int timeout) {
    auto made = std::make_shared<Settings>(Settings{timeout});
    const std::lock_guard lock(mutex_);
    current_.swap(made);
  }
  int timeout() const {
    const std::shared_ptr<const Settings> settings = get();
    return settings->timeout;
  }

 private:
  std::shared_ptr<const Settings> get() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }

  mutable std::mutex mutex_;
  std::shared_ptr<Settings> current_ = std::make_shared<Settings>(Settings{10});
};

template <Version version>
void body() {
  CurrentSettings<version> settings;
  std::thread reader([&] {
    const int timeout = settings.timeout();
    hocket::check(timeout == 10 || timeout == 20, "a timeout that nobody has set");
  });
  settings.replace(20);
  reader.join();
}

}  // namespace samples::use_after_free
