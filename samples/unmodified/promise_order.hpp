// A loader reports through a promise that it has finished before it stores what it loaded.
#pragma once

#include <future>
#include <hocket/hocket.hpp>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::promise_order {

template <Version version>
void body() {
  int loaded = 0;
  std::promise<void> done;
  std::thread loader([&] {
    if constexpr (version == Version::buggy) {
      done.set_value();
      loaded = 42;  // @write
    } else {
      loaded = 42;
      done.set_value();
    }
  });
  done.get_future().wait();
  hocket::check(loaded == 42, "nothing is loaded");  // @read
  loader.join();
}

}  // namespace samples::promise_order
