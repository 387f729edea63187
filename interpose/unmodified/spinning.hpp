// Loops that wait for another thread by looking at atomics again and again, without a yield that could be
// seen: on hardware the processor's pause instruction is enough.
//
// A thread that has looked often and found nothing new, nor done anything else, is taken to be in such a
// loop: it yields before each further look. What it does is the same, but others are let go on.
#pragma once

#include <cstdint>

#include <hocket/runtime/execution.hpp>

namespace hocket::unmodified {

/// One operation that may leave its object as it is.
class Look {
 public:
  /// Before it.
  [[gnu::always_inline]] Look()
      : looks_(runtime::execution.current->looks), action_(runtime::execution.current->next_action) {
    // libstdc++ looks sixteen times before it waits.
    constexpr unsigned kPatience = 20;
    if (looks_.repeated >= kPatience && looks_.next_action == action_) [[unlikely]]
      runtime::execution.yield(runtime::Operation::thread_yield, 0, runtime::Where{});
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
    looks_.last[looks_.next++ % looks_.last.size()] = seen;
  }

 private:
  runtime::Looks& looks_;
  std::uint64_t action_;  ///< Thread::next_action
};

}  // namespace hocket::unmodified
