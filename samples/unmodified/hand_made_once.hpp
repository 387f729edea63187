// Static data that is filled in by the first thread that needs it. An exchange determines which thread is
// first, but the other threads continue while the first one is still filling it in.
#pragma once

#include <atomic>
#include <hocket/hocket.hpp>
#include <mutex>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::hand_made_once {

inline int squares[4];

inline void fill_in() {
  for (int n = 0; n < 4; ++n) squares[n] = n * n;  // @write
}

template <Version version>
int square(int n) {
  if constexpr (version == Version::buggy) {
    static std::atomic<bool> is_begun{false};
    if (!is_begun.exchange(true)) fill_in();
  } else {
    static std::once_flag once;
    std::call_once(once, &fill_in);
  }
  return squares[n];  // @read
}

template <Version version>
void body() {
  std::thread other([] { hocket::check(square<version>(3) == 9, "a square that is not filled in yet"); });
  hocket::check(square<version>(2) == 4, "a square that is not filled in yet");
  other.join();
}

}  // namespace samples::hand_made_once
