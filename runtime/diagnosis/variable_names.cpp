#include "variable_names.hpp"

#include "../execution/execution.hpp"
#include "../platform/static_storage.hpp"
#include "../platform/symbols/debug_info.hpp"

namespace hocket::runtime {

constinit NameInHeap name_in_heap = nullptr;

namespace {

bool is_on_stack_of(const Thread& thread, std::uintptr_t address) {
  return address >= reinterpret_cast<std::uintptr_t>(thread.stack.bottom) &&
         address < reinterpret_cast<std::uintptr_t>(thread.stack.top);
}

/// While a thread is chosen, execution.current is not always the one whose stack is in use.
bool is_running_here(const Thread& thread) {
  const char here = 0;
  return is_on_stack_of(thread, reinterpret_cast<std::uintptr_t>(&here));
}

}  // namespace

std::string name_of_local(const Thread& thread, std::uintptr_t address) {
  const bool is_here = is_running_here(thread);
  const bool has_frames = thread.state == Thread::State::running || thread.state == Thread::State::stopped;
  if (!is_here && !has_frames) return {};
  const void* const context = is_here ? nullptr : thread.context;
  return platform::name_on_stack(address, 0, platform::registers_of(context));
}

std::string name_in_source(const Object& object, const Thread& searching) {
  const auto address = reinterpret_cast<std::uintptr_t>(&object);
  if (platform::is_in_static_storage(&object)) return platform::name_in_static_storage(address, 0);
  for (unsigned t = 0; t < execution.thread_count(); ++t)
    if (is_on_stack_of(execution.thread(t), address)) return name_of_local(execution.thread(t), address);
  // The stack that main() runs on, usually.
  constexpr std::uintptr_t kLargestStack = std::uintptr_t{64} << 20U;
  const platform::FiberRegisters registers = platform::registers_of(searching.context);
  if (address - registers.stack_pointer < kLargestStack) {
    if (std::string name = platform::name_on_stack(address, 0, registers); !name.empty()) return name;
  }
  return name_in_heap != nullptr ? name_in_heap(address) : std::string{};
}

}  // namespace hocket::runtime
