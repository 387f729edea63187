// A list that is replaced as a whole, so that readers keep the one that they have. A shared_ptr counts its
// owners atomically, but is itself plain data: copying one while it is assigned to is a data race.
#pragma once

#include <atomic>
#include <hocket/hocket.hpp>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "samples/unmodified/version.hpp"

namespace samples::shared_ptr_race {

using List = std::shared_ptr<const std::vector<int>>;

template <Version version>
class Subscribers {
 public:
  // NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved from
  void replace(List list) { list_ = std::move(list); }  // @assign
  List get() const { return list_; }                    // @copy

 private:
  using Shared = std::conditional_t<version == Version::buggy, List, std::atomic<List>>;
  Shared list_ = std::make_shared<const std::vector<int>>(1, 7);
};

template <Version version>
void body() {
  const auto subscribers = std::make_unique<Subscribers<version>>();
  std::thread publisher([&] {
    const List list = subscribers->get();
    hocket::check(list->front() == 7, "a subscriber that nobody has added");
  });
  subscribers->replace(std::make_shared<const std::vector<int>>(2, 7));
  publisher.join();
}

}  // namespace samples::shared_ptr_race
