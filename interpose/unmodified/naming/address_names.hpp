// Names for addresses of the program's memory that do not depend on the schedule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../../../runtime/diagnosis/variable_names.hpp"

namespace hocket::unmodified {

/// A key for the address. It is the same in every execution in which the thread whose heap, stack or
/// thread_local storage contains the address behaves the same.
std::uint64_t key_of(std::uintptr_t address);

/// The kind under which plain data is named.
inline constexpr std::string_view kVariable = "variable";

/// A readable name. Variables of the program have their own names: "hits". Heap blocks are counted for each
/// thread: "block 2+8". Blocks from before the search are counted for each variable: "block 1 of table+8".
/// Everything else is counted by its kind: "mutex 1 of thread 2". For recorded executions.
std::string name_of(
    std::string_view kind, std::uintptr_t address, runtime::Part part = runtime::Part::smallest);

/// The same for Trace::object_found(). Empty for memory that is named when its name is needed: at first a
/// block of the heap often is not yet where the program keeps it, and most memory is never named.
std::string name_of_found(std::string_view kind, std::uintptr_t address);

/// Gives the object at `address` this name for the rest of this execution.
void give_name(std::uintptr_t address, std::string_view name);

/// The value of `bytes` bytes of the program's memory, which the last step of the current thread has found,
/// expects or writes, as schedules show it: by its type, if debug information has that. Otherwise it may be
/// signed or not, or, with eight bytes, a pointer. For recorded executions.
std::string text_of_number(std::uint64_t number, std::size_t bytes);

/// Forgets given names and starts counting again. Called at the beginning of an execution.
void forget_names();

}  // namespace hocket::unmodified
