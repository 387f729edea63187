// A queue of tickets that is checked under a shared lock and taken from under an exclusive one. Between the
// two it is not locked, so the result of the check may no longer be true.
#pragma once

#include <hocket/hocket.hpp>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "samples/unmodified/version.hpp"

namespace samples::upgrade_gap {

template <Version version>
class Tickets {  // @class
 public:
  std::optional<int> take() {
    {
      const std::shared_lock reading(mutex_);
      if (tickets_.empty()) return {};
    }
    const std::unique_lock writing(mutex_);
    if (version == Version::corrected && tickets_.empty()) return {};
    const int ticket = tickets_.back();  // @read
    tickets_.pop_back();
    return ticket;
  }

 private:
  std::shared_mutex mutex_;
  std::vector<int> tickets_{7};  // @initialiser
};

template <Version version>
void body() {
  Tickets<version> tickets;
  std::optional<int> its;
  std::thread other([&] { its = tickets.take(); });
  const std::optional<int> mine = tickets.take();
  other.join();
  hocket::check(mine.has_value() != its.has_value(), "the one ticket has not one owner");
}

}  // namespace samples::upgrade_gap
