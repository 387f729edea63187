#include "variable_names.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "../execution/execution.hpp"
#include "../platform/static_storage.hpp"
#include "../platform/symbols/debug_info.hpp"
#include "trace.hpp"
#include "values.hpp"

namespace hocket::runtime {

constinit NameOfMemory name_of_memory = nullptr;
constinit FoundMemory found_memory;

namespace {

bool is_on_stack_of(const Thread& thread, std::uintptr_t address) {
  return address >= reinterpret_cast<std::uintptr_t>(thread.stack.bottom) &&
         address < reinterpret_cast<std::uintptr_t>(thread.stack.top);
}

/// While a thread is chosen, run.current is not always the one whose stack is in use.
bool is_running_here(const Thread& thread) {
  const char here = 0;
  return is_on_stack_of(thread, reinterpret_cast<std::uintptr_t>(&here));
}

/// The registers of a thread that has stopped.
std::optional<platform::FiberRegisters> registers_of(const Thread& thread) {
  const bool has_frames = thread.state == Thread::State::running || thread.state == Thread::State::stopped;
  if (!has_frames || thread.context == nullptr) return {};
  return platform::registers_of(thread.context);
}

const Thread* searching = nullptr;

}  // namespace

void begin_naming(const Thread& the_searching) {
  searching = &the_searching;
  platform::forget_chains();
  forget_values();
}

std::size_t size_of(Part part) {
  return part == Part::smallest ? platform::kSmallestPart : platform::kLargestPart;
}

std::string remembered(std::uintptr_t address, Part part, platform::NameInSource name) {
  if (part == Part::smallest) note_values(address, name.values);
  return std::move(name.text);
}

// Not inlined, because they find the stack of the running thread from their own frames.

[[gnu::noinline]] std::string name_of_local(const Thread& thread, std::uintptr_t address, Part part) {
  std::optional<platform::FiberRegisters> registers = platform::registers_here();
  if (!is_running_here(thread)) registers = registers_of(thread);
  if (!registers) return {};
  return remembered(address, part, platform::name_on_stack(address, size_of(part), *registers));
}

[[gnu::noinline]] std::string name_by_pointers(
    std::uintptr_t address, Part part, const HeapBlock& block, Pointers pointers) {
  if (run.trace() != nullptr && !run.trace()->seeks_slow_names()) return {};
  const platform::FiberRegisters here = platform::registers_here();
  std::vector<platform::FiberRegisters> threads{platform::registers_of(searching->context)};
  const auto add = [&](const Thread& thread) {
    if (is_running_here(thread)) {
      threads.push_back(here);
    } else if (const auto registers = registers_of(thread)) {
      threads.push_back(*registers);
    }
  };
  add(execution.thread(0));
  if (run.current->index != 0) add(*run.current);
  return remembered(address, part,
      platform::name_at_end_of_chain(
          address, size_of(part), block.begin, block.size, pointers == Pointers::all, threads));
}

std::string name_of_variable(std::uintptr_t address, Part part) {
  if (platform::is_in_static_storage(reinterpret_cast<const void*>(address)))
    return remembered(address, part, platform::name_in_static_storage(address, size_of(part)));
  for (unsigned t = 0; t < execution.thread_count(); ++t)
    if (is_on_stack_of(execution.thread(t), address))
      return name_of_local(execution.thread(t), address, part);
  // The stack that main() runs on, usually.
  constexpr std::uintptr_t kLargestStack = std::uintptr_t{64} << 20U;
  const platform::FiberRegisters registers = platform::registers_of(searching->context);
  if (address - registers.stack_pointer >= kLargestStack) return {};
  return remembered(address, part, platform::name_on_stack(address, size_of(part), registers));
}

std::string name_in_source(const Object& object) {
  const auto address = reinterpret_cast<std::uintptr_t>(&object);
  if (std::string name = name_of_variable(address, Part::smallest); !name.empty()) return name;
  const bool is_static = platform::is_in_static_storage(&object);
  if (name_of_memory != nullptr && !is_static) {
    if (std::string name = name_of_memory(address, Part::smallest); !name.empty()) return name;
  }
  return name_by_pointers(address, Part::smallest, {}, Pointers::all);
}

}  // namespace hocket::runtime
