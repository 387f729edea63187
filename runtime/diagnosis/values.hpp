// Values of the program as a recorded schedule shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hocket::runtime {

struct Object;

/// What lies at the address has values of this kind: see platform::NameInSource.
void note_values(std::uintptr_t address, std::string_view kind);

/// Forgets what is known, because an execution begins.
void forget_values();

/// The number; beside it in hexadecimal if it is large, because it may consist of parts: "4295032833
/// (0x100010001)".
std::string number_text(std::uint64_t number);
std::string number_text(std::int64_t number);

/// What the pointer points to: "→ nodes[2]"; "null". What has no name gets a number, "→ object 1". Only while
/// recording.
std::string pointer_text(std::uintptr_t pointer);

/// The enumerator of this number, if debug information has the type of `object`; else the number. `object` is
/// nullptr for that of the current thread's last step. Only while recording.
std::string enumerator_text(std::int64_t number, const Object* object);

/// The value of `size` bytes at the address, as far as debug information tells what they are; empty if it
/// does not. Only while recording.
std::string text_of_known(std::uintptr_t address, std::uint64_t value, std::size_t size);

/// Whether debug information tells that a number, an enumerator or a pointer is at the address. Only while
/// recording.
bool is_number_at(std::uintptr_t address);

/// Names what a pointer points to; the name is empty if nothing is known. The library for instrumented code
/// sets it, which knows all memory.
using NameOfTarget = std::string (*)(std::uintptr_t address);
extern constinit NameOfTarget name_of_target;

}  // namespace hocket::runtime
