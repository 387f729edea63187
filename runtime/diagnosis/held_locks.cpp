#include "held_locks.hpp"

#include <algorithm>
#include <iterator>

#include "../execution/cold_state.hpp"
#include "../execution/execution.hpp"

namespace hocket::runtime {

void HeldLocks::remove(const Object& lock, unsigned thread) {
  const auto last = std::find_if(all_.rbegin(), all_.rend(),
      [&](const HeldLock& one) { return one.lock == &lock && one.thread == thread; });
  if (last != all_.rend()) all_.erase(std::next(last).base());
}

const HeldLock* HeldLocks::find(const Object& lock, unsigned thread) const {
  const auto first = std::find_if(all_.begin(), all_.end(),
      [&](const HeldLock& one) { return one.lock == &lock && one.thread == thread; });
  return first != all_.end() ? &*first : nullptr;
}

std::string mutexes_held_by(unsigned thread, Execution& e) {
  std::string text;
  for (const HeldLock& holding : e.cold_state().recorded.held_locks.all()) {
    if (holding.thread != thread) continue;
    text += (text.empty() ? "" : " and ") + describe(*holding.lock) + (holding.is_shared ? " (shared)" : "");
  }
  return text.empty() ? "no mutex" : text;
}

}  // namespace hocket::runtime
