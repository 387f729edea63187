// What is kept of a thread that is in std::lock, which Hocket must not take apart.
#pragma once

#include <cstdint>

namespace hocket::runtime {

/// The state of a thread with respect to std::lock, in instrumented code; see
/// interpose/unmodified/libstdcxx/standard_lock.hpp.
struct StandardLock {
  std::uint16_t calls = 0;       ///< nested
  bool has_met_attempt = false;  ///< its attempt failed at a lock that another call of std::lock held
  bool tries_alone = false;      ///< its next attempt must not be interrupted
  bool is_alone = false;         ///< its current attempt must not be interrupted
};

}  // namespace hocket::runtime
