#include "holdings.hpp"

#include <algorithm>
#include <iterator>

#include "../execution/execution.hpp"
#include "../execution/machinery.hpp"

namespace hocket::runtime {

void Holdings::remove(const Object& lock, unsigned thread) {
  const auto last = std::find_if(all_.rbegin(), all_.rend(),
      [&](const Holding& one) { return one.lock == &lock && one.thread == thread; });
  if (last != all_.rend()) all_.erase(std::next(last).base());
}

const Holding* Holdings::find(const Object& lock, unsigned thread) const {
  const auto first = std::find_if(all_.begin(), all_.end(),
      [&](const Holding& one) { return one.lock == &lock && one.thread == thread; });
  return first != all_.end() ? &*first : nullptr;
}

std::string mutexes_held_by(unsigned thread, Execution& e) {
  std::string text;
  for (const Holding& holding : e.machinery().holdings.all()) {
    if (holding.thread != thread) continue;
    text +=
        (text.empty() ? "" : " and ") + e.describe(*holding.lock) + (holding.is_shared ? " (shared)" : "");
  }
  return text.empty() ? "no mutex" : text;
}

}  // namespace hocket::runtime
