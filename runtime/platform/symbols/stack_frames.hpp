// The functions on a call stack, for a person to read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hocket::runtime::platform {

struct StackFrame {
  std::string function;        ///< "Cache::get", "lambda in main", "body of Cache.Counts"; empty if unknown
  std::string whole_function;  ///< the same with all arguments of templates, as patterns may name them
  std::string file;            ///< as debug information has it; empty if it is not known
  unsigned line = 0;
};

/// The frames of a stack that calling_stack() has found in this process or in a child of it, innermost first,
/// with functions that were inlined. Slow. Only for the OS thread of the search.
std::vector<StackFrame> frames_of(std::span<const std::uintptr_t> stack);

}  // namespace hocket::runtime::platform
