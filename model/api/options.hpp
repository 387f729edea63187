// The options of a search through the states of a model.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "../../scheduler/api/options.hpp"

namespace hocket::model {

using hocket::unbounded;

/// How the states are stored that a search has met.
enum class Store : std::uint8_t {
  exact,    ///< the states themselves
  hash,     ///< their fingerprints of 128 bits
  bitstate  ///< a few bits each, in an array of fixed size; misses states when it gets full
};

/// Which states a depth-bounded search visits again when it reaches them by a shorter path.
enum class Revisits : std::uint8_t {
  less_depth,  ///< all of them
  threshold    ///< those from which a state could be reached that the depth bound has cut off so far
};

/// How a depth-bounded search keeps the states from which it goes on with a greater bound.
enum class Frontier : std::uint8_t {
  states,  ///< as states
  traces,  ///< as the steps from the initial state, which are taken again
  tree     ///< as the steps from the frontier before, so that the common part is taken only once
};

struct Options {
  /// "bfs", "dfs", "icb", "bcs", "depth", "random" or "swarm": see docs/models.md.
  std::string strategy = "bfs";
  Store store = Store::exact;
  unsigned max_preemptions = unbounded;  ///< the last bound searched, for icb and bcs
  std::uint32_t max_depth = 0;           ///< the most steps of a path; 0: no limit; not for dfs, icb, swarm
  std::uint32_t depth_step = 0;          ///< for depth: how much the bound rises; 0: at once to max_depth
  Revisits revisits = Revisits::threshold;  ///< for depth
  Frontier frontier = Frontier::tree;       ///< for depth
  bool reduce = false;                      ///< explore local steps alone where that is sound
  bool free_cycles = false;  ///< for bcs: leaving a process whose steps all lead back is no preemption
  /// For dfs and bcs: after the first failure, shorter paths are looked for until none is left.
  bool shorten = false;
  bool weak_fairness = false;   ///< only cycles count in which no process is able to take a step all the time
  unsigned jobs = 1;            ///< threads; for bfs, icb and swarm
  unsigned bitstate_log2 = 30;  ///< for Store::bitstate: the array has two to this power bits
  unsigned bitstate_hashes = 3;  ///< for Store::bitstate: bits for each state
  std::uint64_t max_walks = 0;   ///< for random and swarm; 0: 10 000
  std::uint64_t max_states = 0;  ///< the search ends soon after it has stored so many; 0: no limit
  /// For depth: the search ends soon after it has explored so many steps, those that rebuild frontier states
  /// included, and in the same state on each machine; 0: no limit.
  std::uint64_t max_transitions = 0;
  std::chrono::nanoseconds time_limit{0};
  std::size_t memory_limit = 0;    ///< bytes for the search's own data; 0: three quarters of what is free
  std::uint64_t seed = 1;          ///< for random and swarm
  bool keep_going = false;         ///< continue after a failure; reports at most ten
  std::string schedule_dir = ".";  ///< where failing paths are saved and looked up
  bool try_saved = true;           ///< before searching, follow the paths saved earlier for this model
  bool save_schedules = true;      ///< write failing paths to schedule_dir
  std::string replay{};            ///< a schedule file to follow instead of searching
  std::chrono::nanoseconds watchdog{
      std::chrono::seconds(5)};  ///< how long a call of the model may take; 0: no limit
  bool require_bound = false;    ///< for test frameworks: a search stopped by a limit fails its test
};

/// Throws std::invalid_argument, with one sentence, if no search can run with these options.
void check(const Options& options);

}  // namespace hocket::model
