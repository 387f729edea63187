// An object that counts its own owners and is deleted by the last of them. Giving up a share and checking
// whether it was the last are two operations: after the first, another owner may delete the object.
#pragma once

#include <atomic>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::intrusive_count {

template <Version version>
class Shared {
 public:
  void release() {
    if constexpr (version == Version::buggy) {
      --owners_;
      if (owners_ == 0) delete this;  // @look
    } else {
      if (--owners_ == 0) delete this;
    }
  }

 private:
  std::atomic<int> owners_{2};
};

template <Version version>
void body() {
  auto* const shared = new Shared<version>;
  std::thread other([=] { shared->release(); });
  shared->release();
  other.join();
}

}  // namespace samples::intrusive_count
