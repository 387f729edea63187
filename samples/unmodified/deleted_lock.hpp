// Connections are found in a table and then locked. The table's lock is released in between, and another
// thread may then delete the connection together with its lock.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::deleted_lock {

struct Connection {
  std::mutex mutex;
  int sent = 0;
};

template <Version version>
class Connections {
  using Owner =
      std::conditional_t<version == Version::buggy, std::unique_ptr<Connection>, std::shared_ptr<Connection>>;
  using Found = std::conditional_t<version == Version::buggy, Connection*, std::shared_ptr<Connection>>;

 public:
  void open(int number) {
    Owner made(new Connection);
    const std::lock_guard lock(mutex_);
    by_number_[number] = std::move(made);
  }
  void send(int number) {
    const Found connection = find(number);
    if (!connection) return;
    const std::lock_guard lock(connection->mutex);  // @lock
    ++connection->sent;
  }
  void close(int number) {
    const std::lock_guard lock(mutex_);
    by_number_.erase(number);  // @free
  }

 private:
  Found find(int number) {
    const std::lock_guard lock(mutex_);
    const auto found = by_number_.find(number);
    if (found == by_number_.end()) return nullptr;
    if constexpr (version == Version::buggy) {
      return found->second.get();
    } else {
      return found->second;
    }
  }

  std::mutex mutex_;
  std::map<int, Owner> by_number_;
};

template <Version version>
void body() {
  Connections<version> connections;
  connections.open(1);
  std::thread sender([&] { connections.send(1); });
  connections.close(1);
  sender.join();
}

}  // namespace samples::deleted_lock
