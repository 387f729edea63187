// What is left over when a thread, the body or the execution ends: locks that are held, threads that nobody
// waits for, objects that were never destroyed, memory that was never freed.
//
// Only an execution that ran to its end is looked at: one that is cut short leaves everything behind. Each of
// these fails the execution if there is something and its detector is on.
#pragma once

#include <cstdint>
#include <string>

#include "../terms/action_hash.hpp"
#include "../terms/failure.hpp"
#include "../terms/where.hpp"

namespace hocket::runtime {

class Execution;
struct Thread;

namespace end_checks {

/// When `self` ends and holds locks.
void look_for_held_locks(Execution& e, const Thread& self);
/// When the body ends and a thread was detached.
void look_for_detached_threads(Execution& e);
/// When all threads have ended.
void look_for_leaks(Execution& e);
/// The part of it that is in allocations.cpp.
void look_for_leaked_memory(Execution& e);

/// Who left what behind tells leaks apart: they have no one place in both the first and the recorded run.
inline std::uint64_t signature_of_leak(std::uint64_t what) {
  return mix(static_cast<std::uint64_t>(FailureKind::leak), what);
}

}  // namespace end_checks

}  // namespace hocket::runtime
