#include <hocket/runtime/locking.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

#include <hocket/runtime/allocations.hpp>
#include <hocket/runtime/machinery.hpp>
#include <hocket/runtime/platform/call_site.hpp>
#include <hocket/runtime/trace.hpp>

namespace hocket::runtime {

void note_held(Execution& e, const Object& lock) {
  const OwnMemory own;
  e.machinery().held.push_back({&lock, e.current->index, platform::user_call_site(e.current->pending.where),
      e.options().trace->choices().size()});
}

void note_released(Execution& e, const Object& lock) {
  std::vector<Machinery::Held>& held = e.machinery().held;
  const auto last = std::find_if(held.rbegin(), held.rend(),
      [&](const Machinery::Held& one) { return one.lock == &lock && one.thread == e.current->index; });
  if (last != held.rend()) held.erase(std::next(last).base());
}

}  // namespace hocket::runtime
