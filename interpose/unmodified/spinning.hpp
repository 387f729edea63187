// Loops that wait for another thread by looking at atomics again and again, without a yield that could be
// seen: on hardware the processor's pause instruction is enough.
//
// A thread that has looked often, found nothing new, done nothing else, and whose registers, stack and plain
// data are as they were at one of its last looks, will go on like that until another thread changes what it
// looks at: it is in such a loop, and yields before each further look. What it does is the same, but others
// are let go on.
//
// A loop that changes something in each round, as one does that counts its attempts, may come to an end by
// itself. Its looks are looks and nothing else, up to a number that few such loops reach; from then on there
// is a yield each time that the number has doubled, so that a loop which waits after all does not run to the
// step limit wherever it begins. Such yields cost preemptions, so the search says that there were some.
#pragma once

#include <cstdint>

#include <hocket/runtime/execution.hpp>

namespace hocket::unmodified {

/// After so many looks that found nothing new a thread may be waiting. The last few before are compared, too.
inline constexpr unsigned kPatience = 20;
inline constexpr unsigned kCompared = 4;

/// One operation that may leave its object as it is.
class Look {
 public:
  /// Before it.
  [[gnu::always_inline]] Look()
      : looks_(runtime::execution.current->looks), action_(runtime::execution.current->next_action) {
    if (looks_.repeated >= kPatience - kCompared && looks_.next_action == action_) [[unlikely]]
      look_again(looks_);
  }

  /// After it. `found`: the value of the object now, as a number.
  [[gnu::always_inline]] void found(const runtime::Object& object, std::uint64_t found) {
    if (looks_.next_action != action_) [[unlikely]]
      looks_ = {};
    looks_.next_action = runtime::execution.current->next_action;
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
    const auto seen = static_cast<std::uint32_t>((object.key ^ found * kOdd) >> 32U);
    for (const std::uint32_t look : looks_.last) {
      if (look == seen) {
        ++looks_.repeated;
        return;
      }
    }
    looks_.repeated = 0;
    looks_.is_waiting = false;
    looks_.last[looks_.next++ % looks_.last.size()] = seen;
  }

 private:
  /// A thread that has looked often is about to look again: yields if it waits.
  static void look_again(runtime::Looks& looks);

  runtime::Looks& looks_;
  std::uint64_t action_;  ///< Thread::next_action
};

}  // namespace hocket::unmodified
