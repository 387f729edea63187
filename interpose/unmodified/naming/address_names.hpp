// Where an address of the program's memory lies, told in a way that does not depend on the schedule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hocket::unmodified {

/// A name for the address that is the same in every execution in which the thread whose heap, stack or
/// thread_local storage it lies in does the same.
std::uint64_t key_of(std::uintptr_t address);

/// The kind of plain data.
inline constexpr std::string_view kVariable = "variable";

/// As a person would call it. Variables of the program have their names, "hits"; heap blocks are counted for
/// each thread, "block 2+8", those from before the search for each variable, "block 1 of table+8"; everything
/// else is counted by its kind, "mutex 1 of thread 2". For recorded executions.
std::string name_of(std::string_view kind, std::uintptr_t address);

/// From now on, in this execution, what lies at `address` is called so.
void give_name(std::uintptr_t address, std::string_view name);

/// What so many bytes of the program's memory hold, as schedules show it; whether the program takes it for a
/// signed number is not known.
std::string text_of_number(std::uint64_t number, std::size_t bytes);
/// The same for eight bytes, which may be a pointer: then it is the place that it points to. For recorded
/// executions.
std::string text_of_word(std::uint64_t word);

/// Counts afresh; at the beginning of an execution.
void forget_names();

}  // namespace hocket::unmodified
