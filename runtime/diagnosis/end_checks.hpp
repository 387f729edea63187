// What is left over when a thread, the body or the execution ends: locks that are held, threads that are
// never joined, objects that were never destroyed, memory that was never freed.
//
// Only an execution that ran to its end is checked, because one that is cut short leaves everything behind.
// Each check fails the execution if it finds something and its detector is on.
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

/// Called when `self` ends; finds locks that it holds.
void look_for_held_locks(Execution& e, const Thread& self);
/// Called when the body ends; finds detached threads.
void look_for_detached_threads(Execution& e);
/// Called when all threads have ended.
void look_for_leaks(Execution& e);
/// The part of look_for_leaks() that is in allocations.cpp.
void look_for_leaked_memory(Execution& e);

/// A leak is identified by what was left behind and which thread did it, because it has no place that is the
/// same in the first and the recorded run.
inline std::uint64_t signature_of_leak(std::uint64_t what) {
  return mix(static_cast<std::uint64_t>(FailureKind::leak), what);
}

}  // namespace end_checks

}  // namespace hocket::runtime
