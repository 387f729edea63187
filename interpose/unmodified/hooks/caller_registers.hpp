// What the code that called a hook has in its registers.
#pragma once

#include <array>
#include <cstdint>

namespace hocket::unmodified {

/// The call-preserved registers as the calling code finds them when the hook returns: rbx, rbp and r12 to
/// r15.
struct CallerRegisters {
  std::array<std::uint64_t, 6> values{};
  /// The stack pointer of the calling code; 0: nothing is known.
  std::uintptr_t stack = 0;
  /// Whether the calling code keeps frame pointers, as it does without optimisation.
  bool has_frame_pointer = false;
};

/// Those of the code that called the hook in which the current thread is.
CallerRegisters registers_of_caller();

}  // namespace hocket::unmodified
