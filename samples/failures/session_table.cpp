// A table of sessions. Requests keep a reference to their session after they have released the lock.
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include <hocket/gtest.hpp>

namespace {

struct Session {
  std::string user;
  int requests = 0;
};

class SessionTable {
 public:
  void open(int id, std::string user) {
    std::lock_guard lock(mutex_);
    sessions_[id].user = std::move(user);
  }
  Session& find(int id) {
    std::lock_guard lock(mutex_);
    return sessions_[id];
  }
  void close(int id) {
    std::lock_guard lock(mutex_);
    sessions_.erase(id);
  }

 private:
  std::mutex mutex_;
  std::map<int, Session> sessions_;
};

class Server {
 public:
  Server() { table_.open(7, "ada"); }
  void serve(int id) {
    Session& session = table_.find(id);
    std::lock_guard lock(statistics_mutex_);
    ++session.requests;
    ++requests_;
  }
  void log_out(int id) {
    {
      std::lock_guard lock(statistics_mutex_);
      requests_ = 0;
    }
    table_.close(id);
  }

 private:
  SessionTable table_;
  std::mutex statistics_mutex_;
  std::size_t requests_ = 0;
};

}  // namespace

HOCKET_TEST(Failures, UseAfterFreeOfAContainersNode) {
  Server server;
  std::thread request([&server] { server.serve(7); });
  std::thread logout([&server] { server.log_out(7); });
  request.join();
  logout.join();
}
