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

/// Those of a fiber that has stopped in jump(). All zero if they are not known, as on processors other than
/// x86-64.
FiberRegisters registers_of(const void* context);

/// Those of the function that calls this, of use until it returns.
[[gnu::always_inline]] inline FiberRegisters registers_here() {
  FiberRegisters found;
#if defined(__x86_64__) && defined(__linux__)
  asm volatile(
      "lea 0(%%rip), %0\n\t"
      "mov %%rsp, %1\n\t"
      "mov %%rbp, %2\n\t"
      "mov %%rbx, %3"
      : "=&r"(found.code), "=&r"(found.stack_pointer), "=&r"(found.bp), "=&r"(found.bx));
#endif
  return found;
}

/// The name of a part of a variable, and what values it has.
struct NameInSource {
  std::string text;  ///< empty if it is unknown
  /// Its size in bytes, a blank, and "bool", "pointer", "float", "signed", "unsigned" or "enum", which is
  /// followed by its enumerators: "4 enum idle=0 busy=1"; "inside" comes last if the name is that of a larger
  /// object. Empty if it is something else or unknown.
  std::string values;
};

/// Sizes of the part of a variable that is meant, where it is not that of an access: the smallest part at the
/// address, or the largest one that begins there.
inline constexpr std::size_t kSmallestPart = 0;
inline constexpr std::size_t kLargestPart = ~std::size_t{0};

/// The part of a variable in static storage at the address: "server.cache.hits", "calls in main". Empty if it
/// is unknown. `size` is that of the part. Only for the OS thread of the search.
NameInSource name_in_static_storage(std::uintptr_t address, std::size_t size);

/// The part of a local variable or parameter at the address, on the stack of the fiber with these registers:
/// "done in main". Empty if it is unknown. Only for the OS thread of the search.
NameInSource name_on_stack(std::uintptr_t address, std::size_t size, const FiberRegisters& registers);

/// The part of a block of the heap, a tab, and the block: "second.hits<tab>std::map node (made at
/// cache.hpp:24)". Empty if nothing is known. `stack`: see calling_stack(), which must have been called where
/// the block was allocated. Only for the OS thread of the search.
NameInSource name_on_heap(
    std::size_t offset, std::size_t size, std::size_t block_size, std::span<const std::uintptr_t> stack);

/// The part of a thread_local variable: "counter", "calls in main". `module` is any address of the program or
/// library that has the variable, and `offset` that from the beginning of its thread_local storage. Empty if
/// it is unknown. Only for the OS thread of the search.
NameInSource name_in_thread_storage(std::uintptr_t module, std::size_t offset, std::size_t size);

/// What memory is called that pointers lead to from variables of the threads with these registers, or from
/// global ones: "node->value". `block` and its size are 0 if the block that the address is in is not known.
/// Without `by_any` only pointers are followed that stay, or change with what they own. Empty if nothing
/// leads there. Only for the OS thread of the search.
NameInSource name_at_end_of_chain(std::uintptr_t address, std::size_t size, std::uintptr_t block,
    std::size_t block_size, bool by_any, std::span<const FiberRegisters> threads);

/// To be called when an execution begins: what names its memory has does not depend on how much was asked
/// before.
void forget_chains();

/// Whether the debug information of this program describes no variables, as without -g; false if the program
/// that reads it is not there. Only for the OS thread of the search.
bool is_program_without_debug_info();

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
