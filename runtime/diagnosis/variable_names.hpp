// What variables of the program are called in its source code, where debug information tells.
#pragma once

#include <cstdint>
#include <string>

namespace hocket::runtime {

struct Object;
struct Thread;

/// What lies at the address in blocks of the heap that the library for instrumented code keeps; empty if it
/// is unknown. nullptr if that library does not take part.
using NameInHeap = std::string (*)(std::uintptr_t address);
extern constinit NameInHeap name_in_heap;

/// The part of a local variable or parameter of `thread` at the address, which is on its stack: "done in
/// main". Empty if it is unknown. Only while recording.
std::string name_of_local(const Thread& thread, std::uintptr_t address);

/// What the source code calls an object of a public type: "server.cache.lock", "done in main". Empty if it is
/// unknown. `searching` stands for the code that called the search. Only while recording.
std::string name_in_source(const Object& object, const Thread& searching);

}  // namespace hocket::runtime
