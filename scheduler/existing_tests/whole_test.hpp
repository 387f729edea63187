// Whether the body of the current search is a whole test that was not written for Hocket.
#pragma once

namespace hocket {

/// While an object of this class exists, schedules are saved as those of a whole test, so that a replay knows
/// that the test makes no search itself.
class WholeTestGuard {
 public:
  WholeTestGuard() { has_guard = true; }
  ~WholeTestGuard() { has_guard = false; }
  WholeTestGuard(const WholeTestGuard&) = delete;
  WholeTestGuard& operator=(const WholeTestGuard&) = delete;

  static bool is_searched() { return has_guard; }

 private:
  static inline constinit bool has_guard = false;
};

}  // namespace hocket
