// A node of a search with persistent sets: see persistent_set_search.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../../runtime/terms/choice.hpp"
#include "../../runtime/terms/thread_set.hpp"
#include "../graph/recording.hpp"
#include "footprint.hpp"

namespace hocket {

/// A thread all of whose continuations from an earlier node were searched, while nothing has happened since
/// on which they depend.
struct Sleeper {
  unsigned thread;  ///< its index, which is the same in all continuations of the node
  Footprint footprint;
  std::shared_ptr<const Future> future;
};

/// How far a thread has come. What it waits for changes only if this changes, or the objects that it waits
/// for.
struct Position {
  graph::EventCount events = 0;  ///< that it has completed
  bool is_stopped = false;       ///< before a step. Otherwise it runs, joins a thread, or has ended
  bool has_ended = false;
  unsigned joins = 0;     ///< number of the thread that it joins, or 0
  std::size_t moves = 0;  ///< of its wait, by other threads, to other objects

  friend bool operator==(const Position&, const Position&) = default;
};

/// The state before one choice of the current execution.
struct PersistentSetNode {
  // What is known when the node is reached
  std::uint32_t check = 0;
  bool is_value = false;
  bool is_free = false;        ///< switching to another thread costs nothing
  bool follows_yield = false;  ///< the thread that came last has yielded, and so has ended its context
  unsigned last =
      graph::kNobody;  ///< the thread that came last; at a choice of a value, the one that chooses
  unsigned left = 0;   ///< preemptions
  std::vector<runtime::Candidate> candidates;
  std::vector<unsigned> numbers;     ///< stable numbers of the threads that there are, by index
  std::vector<Position> positions;   ///< by index
  std::vector<Footprint> waits_for;  ///< what decides whether each thread can go on, by index
  runtime::ThreadSet can_run;        ///< in Mode::run
  runtime::ThreadSet can_step;       ///< in any mode

  // The search below it
  runtime::ThreadSet chosen_threads;  ///< to be explored
  runtime::ThreadSet explored;
  runtime::ThreadSet has_footprint;
  std::vector<Footprint> footprints;  ///< by index
  std::vector<Sleeper> asleep;
  Future future;
  Footprint context;  ///< of `last`, from here on
  Footprint rest;     ///< at a choice of a value: of the step in which it is, from here on

  // The thread that is explored, or graph::kNobody
  unsigned current = graph::kNobody;
  bool is_current_whole = true;                  ///< no mode was too expensive
  std::vector<runtime::Candidate> alternatives;  ///< that are left: its other modes, or other values
  runtime::Candidate choice{};                   ///< what the current execution does
  Footprint step;                                ///< the footprint of `choice`
  unsigned step_by = 0;  ///< the number of the thread that did it; the step may have created it
  std::shared_ptr<Future> current_future;

  void clear() {
    candidates.clear();
    numbers.clear();
    positions.clear();
    waits_for.clear();
    can_run.clear();
    can_step.clear();
    chosen_threads.clear();
    explored.clear();
    has_footprint.clear();
    footprints.clear();
    asleep.clear();
    future.clear();
    context = {};
    rest = {};
    current = graph::kNobody;
    alternatives.clear();
    current_future.reset();
  }
};

}  // namespace hocket
