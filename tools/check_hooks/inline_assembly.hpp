// Atomic operations and system calls of inline assembly. In code with hooks there are no others: compilers
// make calls of all atomics that they know of.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "object_file.hpp"

namespace hocket::check_hooks {

struct Assembly {
  std::string function;     ///< as the linker knows it
  std::string instruction;  ///< "lock cmpxchg"
};

/// The first of each function in those sections of the object. `objdump` is the program that decodes
/// instructions.
std::vector<Assembly> find_assembly(
    const ObjectFile& object, const std::set<std::string>& sections, const std::string& objdump);

}  // namespace hocket::check_hooks
