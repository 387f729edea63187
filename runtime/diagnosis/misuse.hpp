// Objects that are used against their rules: how the execution fails, and in what words. The faces and models
// notice.
#pragma once

#include <cstdint>

#include "../objects/object.hpp"
#include "../objects/objects.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"

namespace hocket::runtime {

class Execution;
struct Thread;

}  // namespace hocket::runtime

namespace hocket::runtime::misuse {

// Each ends the current thread, or returns while the execution is being ended: those that return bool with
// false.

bool locked_twice(Execution& e, const Object& mutex, Where where);
bool unlocked_by_stranger(Execution& e, const Object& mutex, std::uint16_t owner, Where where);
/// A condition_variable_any cannot release a mutex that its caller holds `depth` times.
bool waits_holding_twice(
    Execution& e, const Object& condition, const Object& mutex, unsigned depth, Where where);
void joined_by_two(Execution& e, const Thread& thread, Where where);

/// How the life of an object ends.
enum class End : std::uint8_t { destruction, return_from_function };

/// The life of an object ends in a state of which its kind says `objection`.
void ended_while(Execution& e, const Object& object, End how, const char* objection, Where where);

// The two that look first; they return whether the execution has failed.

/// Whether others wait on `condition` with another mutex than `mutex`.
bool waits_with_another_mutex(
    Execution& e, const ConditionVariable& condition, const Mutex& mutex, Where where);
/// Whether a thread is stopped before an operation on `object`, whose life ends: before `operation`, or, if
/// that is none, before any.
bool ended_in_use(
    Execution& e, const Object& object, End how, Where where, Operation operation = Operation::none);

}  // namespace hocket::runtime::misuse
