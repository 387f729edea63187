// A table of sessions. Each access takes the lock, but the lookup of a session and the insertion of a new one
// are two accesses. Between them another thread may insert one, which is then replaced while it is in use.
#pragma once

#include <hocket/hocket.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::check_then_act {

struct Session {
  std::string user;
};

template <Version version>
class Sessions {
 public:
  std::shared_ptr<Session> of(const std::string& user) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = by_user_.find(user); found != by_user_.end()) return found->second;
    }
    auto made = std::make_shared<Session>(Session{user});
    const std::lock_guard lock(mutex_);
    if constexpr (version == Version::buggy) {
      by_user_[user] = made;
      return made;
    } else {
      return by_user_.emplace(user, made).first->second;
    }
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Session>> by_user_;
};

template <Version version>
void body() {
  Sessions<version> sessions;
  std::shared_ptr<Session> its;
  std::thread other([&] { its = sessions.of("ada"); });
  const std::shared_ptr<Session> mine = sessions.of("ada");
  other.join();
  hocket::check(mine == its, "two sessions of one user");  // @check
}

}  // namespace samples::check_then_act
