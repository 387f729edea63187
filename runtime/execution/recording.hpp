// What a recorded execution keeps in addition to its choices: names, values, accesses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../objects/object.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"
#include "../threads/thread.hpp"

namespace hocket::runtime {

/// A short name of the thread or object for messages. It is specific while recording and general otherwise.
[[nodiscard]] std::string describe(const Thread& thread);
[[nodiscard]] std::string describe(const Object& object);

/// Everything noted goes to ExecutionOptions::trace.
namespace recording {

/// Gives `object` or the current thread the name that schedules and reports print.
void name(const Object& object, std::string_view name);
void name(const Thread& thread, std::string_view name);
/// Like name(), for memory that is not an object of Hocket's interface. It is known only where there is a
/// Host.
void name_memory(const void* object, std::string_view name);
/// Records a value for the current step: `text` as in "→ 3". Only while recording.
void note_value(std::string_view text);
/// Records whether the current step, a try or a compare-exchange, has succeeded, and what it found: the value
/// as text, or nothing. Only while recording.
void note_outcome(bool succeeded, std::string_view found = {});
/// Records what the current step, a compare-exchange, expected and found, and what it wrote if it succeeded.
/// Only while recording.
void note_comparison(
    bool succeeded, std::string_view expected, std::string_view found, std::string_view written);
/// Records until when, in virtual nanoseconds, the current step waits at most. Only while recording.
void note_deadline(std::int64_t virtual_nanoseconds);
/// Records how long the current step, a sleep, is meant to last, and until when, in virtual nanoseconds,
/// unless no time passes. Only while recording.
void note_sleep(std::int64_t nanoseconds, std::optional<std::int64_t> until);
/// Records an access to a var. Only while recording.
void note_access(const Object& object, Access access, std::string_view text, Where where);

}  // namespace recording
}  // namespace hocket::runtime
