#include "locking.hpp"

#include "../diagnosis/trace.hpp"
#include "../platform/symbols/call_site.hpp"
#include "allocations.hpp"
#include "machinery.hpp"

namespace hocket::runtime {

void note_held(Execution& e, const Object& lock, bool is_shared) {
  const OwnMemory own;
  const Thread& self = *e.current;
  e.machinery().holdings.add({&lock, self.index, is_shared, platform::user_call_site(self.pending.where),
      e.options().trace->choices().size()});
}

void note_released(Execution& e, const Object& lock) {
  e.machinery().holdings.remove(lock, e.current->index);
}

}  // namespace hocket::runtime
