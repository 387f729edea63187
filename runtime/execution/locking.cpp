#include "locking.hpp"

#include "../diagnosis/failure_stacks.hpp"
#include "../diagnosis/trace.hpp"
#include "../platform/symbols/call_site.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

void note_held(const Object& lock, bool is_shared) {
  const OwnMemory own;
  const Thread& self = *run.current;
  execution.cold_state().recorded.held_locks.add({&lock, self.index, is_shared,
      platform::user_call_site(self.pending.where), run.options.trace->choices().size(), stack_to_show()});
}

void note_released(const Object& lock) {
  execution.cold_state().recorded.held_locks.remove(lock, run.current->index);
}

}  // namespace hocket::runtime
