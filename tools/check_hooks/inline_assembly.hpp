// Finds atomic operations, system calls and reads of the time stamp counter in inline assembly. Code with
// hooks has no other such instructions, because compilers turn all atomics that they know into calls, and the
// assembler does so with each rdtsc that it reads as text (cmake/HocketTimeStamps.h).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "object_file.hpp"

namespace hocket::check_hooks {

struct Assembly {
  std::string function;     ///< its name for the linker
  std::string instruction;  ///< "lock cmpxchg"
};

/// The first such instruction of each function in the given sections of the object. `objdump` is the program
/// that decodes instructions.
std::vector<Assembly> find_assembly(
    const ObjectFile& object, const std::set<std::string>& sections, const std::string& objdump);

}  // namespace hocket::check_hooks
