// What addresses of this process are called in the source code, from its debug information.
//
// Slow, and used only while an execution is recorded. A separate program, hocket-debug-info, reads the debug
// information: the one that the environment variable HOCKET_DEBUG_INFO names, or the one that was built or
// installed with this library, or the one in PATH. Without it nothing is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

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

/// The functions at an instruction, those that are inlined there first: for each a name, a file and a line,
/// separated by tabs. Empty if they are unknown. Only for the OS thread of the search.
std::string functions_at(std::uintptr_t code);

/// Ends the program, which is started again on its next use: see stop_translating().
void stop_asking_for_names();

}  // namespace hocket::runtime::platform
