// Virtual time, which passes only where threads wait for it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hocket::runtime {

/// In nanoseconds since the execution began.
class VirtualTime {
 public:
  void begin() { now_ = 0; }
  [[nodiscard]] std::int64_t now() const { return now_; }
  /// Never goes back.
  void pass_until(std::int64_t to) { now_ = std::max(now_, to); }

 private:
  std::int64_t now_ = 0;
};

}  // namespace hocket::runtime
