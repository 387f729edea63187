// Objects that are used against their rules: how the execution fails, and with what message. The public types
// and the models detect the misuse.
#pragma once

#include <cstdint>

#include "../objects/object.hpp"
#include "../objects/objects.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"

namespace hocket::runtime {

struct Thread;

}  // namespace hocket::runtime

namespace hocket::runtime::misuse {

// Each function ends the current thread, or returns while the execution is being ended. One that returns
// bool then returns false.

void locked_twice(const Object& mutex, Where where);
[[nodiscard]] bool unlocked_by_stranger(const Object& mutex, std::uint16_t owner, Where where);
/// A condition_variable_any cannot release a mutex that its caller holds `depth` times.
void waits_holding_twice(const Object& condition, const Object& mutex, unsigned depth, Where where);
void joined_by_two(const Thread& thread, Where where);

/// How the lifetime of an object ends.
enum class End : std::uint8_t { destruction, return_from_function };

/// The lifetime of an object ends in a state about which its kind says `objection`.
void ended_while(const Object& object, End how, const char* objection, Where where);

// These two check first and return whether the execution has failed.

/// Whether other threads wait on `condition` with a mutex other than `mutex`.
[[nodiscard]] bool waits_with_another_mutex(
    const ConditionVariable& condition, const Mutex& mutex, Where where);
/// Whether a thread is stopped before an operation on `object`, whose lifetime ends. `operation` is the
/// operation to look for; none means any.
bool ended_in_use(const Object& object, End how, Where where, Operation operation = Operation::none);

}  // namespace hocket::runtime::misuse
