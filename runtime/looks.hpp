// What a thread that may spin has looked at.
#pragma once

#include <array>
#include <cstdint>

namespace hocket::runtime {

/// What a thread has looked at, and found there, since it last did anything else. Kept where code cannot say
/// that it spins; see interpose/unmodified/spinning.hpp.
struct Looks {
  std::array<std::uint32_t, 4> last{};    ///< each an object and what was found there, as one number
  std::array<std::uint64_t, 4> states{};  ///< of the thread, at its last looks; once it is suspected to spin
  std::uint64_t next_action = 0;          ///< Thread::next_action after the last of them
  unsigned next = 0;                      ///< in `last`
  unsigned next_state = 0;                ///< in `states`
  bool is_waiting = false;                ///< it goes on like this until another thread changes something
  unsigned repeated = 0;                  ///< looks that found what one of the last had found
};

}  // namespace hocket::runtime
