// What variables of the program are called in its source code, where debug information tells. Only while an
// execution is recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hocket::runtime {

namespace platform {
struct NameInSource;
}

struct Object;
struct Thread;

/// Which part of a variable is meant that begins at an address.
enum class Part {
  smallest,  ///< that an access is made to
  largest    ///< that a pointer points to
};

/// `part` for the functions of platform/symbols/debug_info.hpp.
std::size_t size_of(Part part);

/// A recorded execution begins. `searching` stands for the code that called the search.
void begin_naming(const Thread& searching);

/// The part of a local variable or parameter of `thread` at the address, which is on its stack: "done in
/// main". Empty if it is unknown.
std::string name_of_local(const Thread& thread, std::uintptr_t address, Part part);

/// The part of a variable in static storage or on a stack at the address: "nodes[2]", "done in main". Empty
/// if it is in neither or unknown.
std::string name_of_variable(std::uintptr_t address, Part part);

/// A block of the heap. Both are 0 if the block is not known.
struct HeapBlock {
  std::uintptr_t begin = 0;
  std::size_t size = 0;
};

/// Which pointers are followed to find a name.
enum class Pointers {
  of_owners,  ///< references, smart pointers, and those within containers
  all         ///< those, too, that may point elsewhere a moment later
};

/// What the source code calls memory that is in no variable: "node->value", "cache.map_[1].hits", "*p in
/// worker". The variables are those of the current thread, of the body's own thread and of the code that
/// called the search, and global ones. Empty if none of them leads there.
std::string name_by_pointers(std::uintptr_t address, Part part, const HeapBlock& block, Pointers pointers);

/// What the source code calls an object of a public type: "server.cache.lock", "done in main". Empty if it is
/// unknown.
std::string name_in_source(const Object& object);

/// Names memory that the library for instrumented code keeps or watches; the name is empty if it has none for
/// the address. nullptr if that library does not take part.
using NameOfMemory = std::string (*)(std::uintptr_t address, Part part);
extern constinit NameOfMemory name_of_memory;

/// What the library for instrumented code has found in memory. Both are nullptr if it does not take part.
struct FoundMemory {
  /// Where the plain data is that the object stands for; 0 if it stands for something else.
  std::uintptr_t (*place)(const Object& object) = nullptr;
  /// The name of what is there, which is never empty.
  std::string (*name)(std::uintptr_t address) = nullptr;
};
extern constinit FoundMemory found_memory;

/// The name. What values the variable has that it stands for, at the address, is remembered for
/// text_of_known() if it is the smallest part.
std::string remembered(std::uintptr_t address, Part part, platform::NameInSource name);

}  // namespace hocket::runtime
