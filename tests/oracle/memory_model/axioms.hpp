// When a candidate execution is one of C++: the axioms of RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer:
// "Repairing Sequential Consistency in C/C++11", PLDI 2017) with what C++20 has made of them, clause by
// clause from [intro.races], [atomics.order], [atomics.fences], [atomics.wait],
// [thread.mutex.requirements.mutex] and [thread.condition]:
//
// - A release sequence consists of a write and the read-modify-writes that follow it. The later writes of the
//   same thread are no longer in it (Boehm, Giroux, Vafeiadis: "P0982R1: Weaken release sequences").
// - Between operations that are seq_cst, but not on one location, what counts is to happen before strongly,
//   which is po;hb;po in terms of RC11 (Boehm, Giroux, Vafeiadis: "P0668R5: Revising the C++ memory model").
// - No cycle of program order and reads-from: RC11 forbids load buffering, C++ only results out of thin air.
//
// Mutexes and sleeping threads have total orders of their own. Together with program order and reads-from
// they must fit in one order in which all of it could have happened, step by step.
#pragma once

#include "tests/oracle/memory_model/execution.hpp"

namespace hocket::memory_model {

/// What is an axiom. Tests leave some out, to see that something depends on it.
struct Rules {
  bool forbids_load_buffering = true;
  bool orders_seq_cst = true;
  bool orders_seq_cst_fences = true;
  bool is_coherent = true;  ///< what happens before a read, and has read or written, comes first
  bool is_atomic = true;    ///< a read-modify-write reads what stands right before it
  bool continues_in_same_thread = false;  ///< release sequences as they were before C++20
  /// Whether a read-modify-write counts as two events, one sequenced before the other, in po;hb;po. GenMC
  /// counts so, and therefore finds fewer graphs of programs such as Z6.U. Here they do not count:
  /// [atomics.order] makes a read-modify-write one operation, which is not sequenced before itself, and RC11
  /// asks for two locations there.
  bool splits_updates = false;
  /// Whether all that is coherence-ordered is ordered among seq_cst operations, also where a weaker write
  /// stands between them: [atomics.order] makes coherence-ordered-before transitive, so that seq_cst loads
  /// agree on the order of two relaxed stores. RC11 only asks for modification order and from-reads. Without
  /// this, more executions are consistent than in C++20.
  bool orders_all_coherent = false;
};

/// Whether the execution, which need not be complete, is consistent. If it is, so is each prefix.
bool is_consistent(const Execution& execution, const Rules& rules);

/// Whether the two events are accesses of one object by two threads, of which one writes and one is plain.
bool conflict(const Event& one, const Event& other);

/// Whether two accesses of the execution race: one of them writes, one is plain, none happens before the
/// other.
bool has_race(const Execution& execution, const Rules& rules);

}  // namespace hocket::memory_model
