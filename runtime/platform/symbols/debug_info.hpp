// What addresses of this process are called in the source code, from its debug information.
//
// Slow, and used only while an execution is recorded. A separate program, hocket-debug-info, reads the debug
// information: see debug_info_program.hpp. It runs from its first use to the end of this process. Without it
// nothing is known. If the environment variable HOCKET_DEBUG_INFO is empty, variables and blocks are not
// named, functions and lines are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stack_frames.hpp"

namespace hocket::runtime::platform {

/// The registers of a fiber, as far as unwinding its stack needs them.
struct FiberRegisters {
  std::uintptr_t code = 0;
  std::uintptr_t stack_pointer = 0;
  std::uintptr_t bp = 0;
  std::uintptr_t bx = 0;
};

/// Those of a fiber that has stopped in jump(), or of the calling one for nullptr. All zero if they are not
/// known, as on processors other than x86-64.
FiberRegisters registers_of(const void* context);

/// The part of a variable in static storage at the address: "server.cache.hits", "calls in main". Empty if it
/// is unknown. `size` is that of an access; 0 stands for the smallest part. Only for the OS thread of the
/// search.
std::string name_in_static_storage(std::uintptr_t address, std::size_t size);

/// The part of a local variable or parameter at the address, on the stack of the fiber with these registers:
/// "done in main". Empty if it is unknown. Only for the OS thread of the search.
std::string name_on_stack(std::uintptr_t address, std::size_t size, const FiberRegisters& registers);

/// The part of a block of the heap, a tab, and the block: "second.hits<tab>std::map node (made at
/// cache.hpp:24)". Empty if nothing is known. `stack`: see calling_stack(), which must have been called where
/// the block was allocated. Only for the OS thread of the search.
std::string name_on_heap(std::size_t offset, std::size_t block_size, std::span<const std::uintptr_t> stack);

/// Whether anything has had its name from here in this process.
bool has_debug_info_named();

/// The functions at an instruction of this process, those that are inlined there first. Empty if they are
/// unknown. Only for the OS thread of the search.
std::vector<StackFrame> frames_at(std::uintptr_t code);

/// Whether the program was looked for, and there is none.
bool has_no_debug_info();

/// Ends the program, which is started again on its next use. Needed when a child process is about to be made,
/// or to end, because the program's handles are valid only in this process.
void stop_reading_debug_info();

}  // namespace hocket::runtime::platform
