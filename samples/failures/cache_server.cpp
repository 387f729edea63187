// A server whose cache counts its hits under a lock that admits several readers.
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include <hocket/gtest.hpp>

namespace {

class Cache {
 public:
  void put(int key, std::string value) {
    std::unique_lock lock(mutex_);
    map_[key] = std::move(value);
  }
  std::optional<std::string> get(int key) {
    std::shared_lock lock(mutex_);
    const auto found = map_.find(key);
    if (found == map_.end()) return {};
    ++hits_;  // the lock is held by other readers, too
    return found->second;
  }

 private:
  std::shared_mutex mutex_;
  std::map<int, std::string> map_;
  int hits_ = 0;
};

class Server {
 public:
  Server() { cache_.put(1, "index.html"); }
  std::string handle(int request) { return cache_.get(request).value_or("404"); }

 private:
  Cache cache_;
};

}  // namespace

HOCKET_TEST(Failures, RaceOnAMemberBehindTwoCalls) {
  Server server;
  std::vector<std::thread> clients;
  for (int request = 1; request <= 3; ++request)
    clients.emplace_back([&server, request] { server.handle(request % 2); });
  for (std::thread& client : clients) client.join();
}
