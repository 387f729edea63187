// The states of threads between the rounds of their loops.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace hocket::unmodified {

/// What the stack below a frame is filled with between the rounds of a loop. Bytes of a later frame that
/// still have it have not been written there, and so are no state: no valid code reads them.
constexpr std::uint64_t kUnwritten = 0x9b5e2d71c8a3f46eU;

/// The state that the caller of one of Hocket's functions finds unchanged when the function returns: the
/// call-preserved registers and the stack from the caller's frame to the end. It also contains the number of
/// the thread's changes elsewhere of which nothing else tells whether they leave everything as it was.
class Snapshot {
 public:
  /// Takes the snapshot of the current thread. Returns whether its state could be determined.
  bool take();

  /// The stack pointer of the calling code.
  [[nodiscard]] std::uintptr_t stack() const { return stack_; }
  /// Whether the calling code keeps frame pointers, as it does without optimisation, where the functions that
  /// a round calls have frames with many bytes in them that they do not write.
  [[nodiscard]] bool has_frame_pointer() const { return has_frame_pointer_; }

  /// Whether the thread was in the same state at both snapshots.
  [[nodiscard]] bool is_like(const Snapshot& later) const;

 private:
  bool has_frame_pointer_ = false;
  std::uintptr_t stack_ = 0;
  std::array<std::uint64_t, 6> registers_{};
  std::vector<std::uint64_t> words_;
  std::uint32_t untold_changes_ = 0;
};

/// The snapshot of the thread before its look with that number, one of the last Looks::kKept.
Snapshot& snapshot(unsigned thread, unsigned look);
/// The snapshot of the thread at the end of that round of a loop that comes by the clock, one of the last
/// two.
Snapshot& snapshot_at_clock(unsigned thread, unsigned round);

}  // namespace hocket::unmodified
