// Loops that wait for another thread by looking at atomics again and again, without a yield that could be
// seen: on hardware the processor's pause instruction is enough.
//
// A thread that has looked often and found nothing new, nor done anything else, is taken to be in such a
// loop: it yields before each further look. What it does is the same, but others are let go on.
#pragma once

#include <array>
#include <cstdint>

#include <hocket/runtime/execution.hpp>

namespace hocket::unmodified {

/// What a thread has looked at, and found there, since it last did anything else.
struct Looks {
  struct Look {
    const runtime::Object* object = nullptr;
    std::uint64_t found = 0;
  };
  std::array<Look, 4> last{};
  unsigned next = 0;              ///< in `last`
  unsigned repeated = 0;          ///< looks that found what one of the last had found
  std::uint64_t next_action = 0;  ///< Thread::next_action after the last of them
};

/// By the thread's index.
extern std::array<Looks, runtime::kMaxThreads> all_looks;

/// Before an atomic operation that may leave its object as it is. Returns Thread::next_action for looked().
[[gnu::always_inline]] inline std::uint64_t is_about_to_look() {
  // libstdc++ looks sixteen times before it waits.
  constexpr unsigned kPatience = 20;
  const runtime::Thread& self = *runtime::execution.current;
  const std::uint64_t action = self.next_action;
  const Looks& looks = all_looks[self.index];
  if (looks.repeated >= kPatience && looks.next_action == action) [[unlikely]]
    runtime::execution.yield(runtime::Operation::thread_yield, 0, runtime::Where{});
  return action;
}

/// After it. `found`: the value of the object now, as a number.
[[gnu::always_inline]] inline void looked(
    const runtime::Object& object, std::uint64_t found, std::uint64_t action) {
  const runtime::Thread& self = *runtime::execution.current;
  Looks& looks = all_looks[self.index];
  if (looks.next_action != action) looks = {};
  looks.next_action = self.next_action;
  for (const Looks::Look& look : looks.last) {
    if (look.object == &object && look.found == found) {
      ++looks.repeated;
      return;
    }
  }
  looks.repeated = 0;
  looks.last[looks.next++ % looks.last.size()] = {&object, found};
}

}  // namespace hocket::unmodified
