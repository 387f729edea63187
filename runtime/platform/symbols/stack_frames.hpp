// The functions on a call stack, for a person to read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hocket::runtime::platform {

struct StackFrame {
  std::string function;  ///< short: see short_function_name(); empty if it is not known
  std::string file;      ///< as debug information has it; empty if it is not known
  unsigned line = 0;
};

/// The frames of a stack that calling_stack() has found in this process or in a child of it, innermost first,
/// with functions that were inlined. Slow. Only for the OS thread of the search.
std::vector<StackFrame> frames_of(std::span<const std::uintptr_t> stack);

/// The name of a function without what a reader can do without: parameters, default template arguments,
/// inline and anonymous namespaces. "lambda in Cache::get" for the call operator of a lambda.
std::string short_function_name(std::string_view demangled);

/// "lambda in worker" for a function that the library made for a lambda, such as
/// "__invoke<worker()::<lambda()> >"; empty for others.
std::string lambda_called_by(std::string_view demangled);

}  // namespace hocket::runtime::platform
