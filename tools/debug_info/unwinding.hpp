// The frames of a thread of the tested process that does not run.
#pragma once

#include <cstdint>
#include <functional>

#include "expressions.hpp"
#include "process_files.hpp"

namespace hocket::debug_info {

/// A function that has not returned.
struct StackFrame {
  std::uint64_t code = 0;  ///< an address in the instruction that it executes, usually a call
  std::uint64_t end = 0;   ///< behind its part of the stack, without arguments: the canonical frame address
  Registers registers;     ///< as they are within it
};

/// The number that DWARF gives to registers of x86-64.
enum Register : unsigned { kBx = 3, kBp = 6, kSp = 7, kCode = 16 };

/// Calls `visit` for each frame, the innermost first, until it returns false.
void unwind(ProcessFiles& files, const ReadWord& read, Registers registers,
    const std::function<bool(const StackFrame&)>& visit);

}  // namespace hocket::debug_info
