#pragma once

#include <cstdint>

namespace hocket::runtime {

/// How a thread is at std::lock, in instrumented code; see interpose/unmodified/libstdcxx/standard_lock.hpp.
struct StandardLock {
  std::uint16_t calls = 0;       ///< nested
  bool has_met_attempt = false;  ///< its attempt has failed at a lock that another call of std::lock took
  bool tries_alone = false;      ///< its next attempt is not to be interrupted,
  bool is_alone = false;         ///< nor is it now
};

}  // namespace hocket::runtime
