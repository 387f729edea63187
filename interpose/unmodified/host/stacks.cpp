#include "stacks.hpp"

#include <string>
#include <utility>

#include "../../../runtime/diagnosis/source_text.hpp"
#include "../../../runtime/diagnosis/trace.hpp"
#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/execution/recording.hpp"
#include "../../../runtime/platform/symbols/call_site.hpp"
#include "../naming/address_names.hpp"
#include "../shadow/cells.hpp"
#include "../shadow/models.hpp"

namespace hocket::unmodified {

namespace {

using runtime::describe;

using runtime::execution;

using runtime::run;
using runtime::Thread;
using runtime::Where;

bool holds(const Thread& thread, std::uintptr_t address) {
  return address >= reinterpret_cast<std::uintptr_t>(thread.stack.bottom) &&
         address < reinterpret_cast<std::uintptr_t>(thread.stack.top);
}

/// The lowest address in use on the stack of a thread that is not running. 0 if the thread runs on another
/// stack.
std::uintptr_t end_of_stack(const Thread& thread) {
  const auto stopped_at = reinterpret_cast<std::uintptr_t>(thread.context);
  if (!holds(thread, stopped_at)) return 0;
  // The frames between the two addresses are Hocket's, provided that the thread entered Hocket by the
  // recorded call. The operations of hocket:: types do not record a call.
  const std::uintptr_t entered_at = thread.instrumented.entered_at;
  if (entered_at < stopped_at || !holds(thread, entered_at)) return stopped_at;
  const auto* const return_address = reinterpret_cast<void* const*>(entered_at) - 1;
  return *return_address == thread.instrumented.entered_from ? entered_at : stopped_at;
}

[[gnu::noinline]] void fail(std::uintptr_t at, const char* does, const char* as, std::string why) {
  const runtime::OwnMemory own;
  std::string message = describe(*run.current) + " " + does + " " + name_of(kVariable, at);
  if (as != nullptr) message += std::string(" as ") + as;
  runtime::step::fail(runtime::FailureKind::use_after_return, message + ", " + std::move(why),
      run.recording ? runtime::platform::user_call_site(Where{}) : Where{});
}

}  // namespace

void Stacks::check(std::uintptr_t at, std::uintptr_t stack_pointer, const char* does, const char* as) {
  const unsigned index = StackSpace::owner_of(at);
  if (index >= execution.thread_count()) {
    fail(at, does, as, "which lies on the stack of a thread of another execution");
    return;
  }
  const Thread& owner = execution.thread(index);
  if (&owner == run.current) {
    if (holds(owner, stack_pointer)) fail(at, does, as, "whose function has returned");
    return;
  }
  if (owner.state == Thread::State::ended) {
    fail(at, does, as, "which lay on the stack of " + describe(owner) + ", which has ended");
    return;
  }
  if (at >= end_of_stack(owner)) {
    if (at < lent_from[index]) lent_from[index] = at;
    return;
  }
  const std::string place = run.recording ? run.options.trace->pending_place(owner) : "";
  fail(at, does, as,
      "whose function has returned" +
          (place.empty() ? "" : "; " + describe(owner) + " is at " + place + " now"));
}

void Stacks::leave_functions(std::uintptr_t stack_pointer) {
  const Thread& self = *run.current;
  if (!holds(self, stack_pointer) && stack_pointer != reinterpret_cast<std::uintptr_t>(self.stack.top))
    return;
  const std::uintptr_t begin = lent_from[self.index];
  lent_from[self.index] = stack_pointer;  // memory above may have been lent, too
  const bool can_race = !execution.races.follows_all_others();
  cells().for_each_in(begin, stack_pointer - begin, [can_race](Cell& cell) {
    if (cell.has(Cell::kOwnedByHocket) || cell.has(Cell::kIsBenign)) return;
    if (cell.used_as != nullptr) leave_object(cell.address);  // a thread that has ended may still hold it
    if (can_race) runtime::step::access(cell, runtime::VarAccess::leave, Where{});
  });
}

void Stacks::ended() {
  const Thread& self = *run.current;
  if (lent_from[self.index] != kNothing) leave_functions(reinterpret_cast<std::uintptr_t>(self.stack.top));
  lent_from[self.index] = kNothing;
}

void use_ended_thread_local(std::uintptr_t address, unsigned owner) {
  fail(address, "uses", nullptr, "which is gone: " + describe(execution.thread(owner)) + " has ended");
}

void use_object_on_stack(std::uintptr_t address, const char* what) {
  const std::uintptr_t stack_pointer = run.current->instrumented.entered_at;
  if (!Stacks::is_in_use(address, stack_pointer)) Stacks::check(address, stack_pointer, "uses", what);
  if (StackSpace::owner_of(address) != run.current->index) note_use_of_object(address, what);
}

}  // namespace hocket::unmodified
