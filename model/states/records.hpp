// What a search stores with each state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../api/model.hpp"
#include "../api/options.hpp"
#include "flaws.hpp"

namespace hocket::model {

/// How a search has come to a state.
struct Arrival {
  unsigned preemptions = 0;
  Process last = kNoProcess;
  bool by_reduction = false;  ///< the last step was explored alone
  std::uint32_t depth = 0;    ///< steps of the path, for searches with a limit on them
};

/// What a store says of a state to which a search has come.
struct Admission {
  const std::uint32_t* least;  ///< the fewest preemptions with which the state was reached so far
  std::uint32_t* on_stack;     ///< how often it is on the search stack; nullptr if
                               ///< the store does not know
  bool improves;               ///< the state is new, or was reached with fewer preemptions
                               ///< than before
  bool is_new;
  bool is_admitted;  ///< the state has to be visited
};

/// How much room a record takes beside a state.
struct RecordLayout {
  std::size_t size;
  std::size_t alignment;
};

/// For searches without a bound: a state is visited once.
struct VisitedRecord {
  static constexpr bool kCountsPreemptions = false;
  std::uint32_t on_stack = 0;  ///< how often the state is on the search stack

  static bool admit(const Arrival& /*arrival*/, bool is_new) { return is_new; }
  [[nodiscard]] static unsigned preemptions() { return 0; }
  [[nodiscard]] static const std::uint32_t* least_preemptions() {
    static constexpr std::uint32_t kNone = 0;
    return &kNone;
  }
};

/// The least preemptions with which a state was reached, and the processes that
/// reached it so.
struct PreemptionRecord {
  static constexpr bool kCountsPreemptions = true;
  std::uint64_t processes = 0;
  std::uint32_t least = 0;
  std::uint32_t on_stack = 0;

  /// Returns whether the state has to be visited.
  bool admit(const Arrival& arrival, bool is_new) {
    if (is_new || arrival.preemptions < least) {
      least = arrival.preemptions;
      processes = bit(arrival.last);
      return true;
    }
    if (arrival.preemptions > least) return false;
    const bool is_known = (processes & bit(arrival.last)) != 0;
    processes |= bit(arrival.last);
    return !is_known;
  }
  [[nodiscard]] unsigned preemptions() const { return least; }
  [[nodiscard]] const std::uint32_t* least_preemptions() const { return &least; }

  static std::uint64_t bit(Process process) {
    return process < kMostProcesses ? std::uint64_t{1} << process : 0;
  }
};

/// Only the least preemptions with which a state was reached. A process that
/// reaches a state later with as many is not let through, although it could go
/// on without a preemption where the first one could not. So states are lost.
/// This is what Spin 6.5.2 stores; it is here for comparison.
struct LeastRecord {
  static constexpr bool kCountsPreemptions = true;
  std::uint32_t least = 0;
  std::uint32_t on_stack = 0;

  bool admit(const Arrival& arrival, bool is_new) {
    if (!is_new && arrival.preemptions >= least) return false;
    least = arrival.preemptions;
    return true;
  }
  [[nodiscard]] unsigned preemptions() const { return least; }
  [[nodiscard]] const std::uint32_t* least_preemptions() const { return &least; }
};

/// What PreemptionRecord has, for a search with a reduction. It also knows
/// which of the processes reached the state by a step that was explored alone,
/// after which a switch is free.
struct ReducedPreemptionRecord : PreemptionRecord {
  std::uint64_t by_reduction = 0;

  bool admit(const Arrival& arrival, bool is_new) {
    const bool improves = is_new || arrival.preemptions < least;
    if (improves) by_reduction = 0;
    bool is_admitted = PreemptionRecord::admit(arrival, is_new);
    if (arrival.by_reduction && arrival.preemptions == least && (by_reduction & bit(arrival.last)) == 0) {
      by_reduction |= bit(arrival.last);
      is_admitted = true;
    }
    return is_admitted;
  }
};

/// A kind of records, for sets that do not know their type.
class RecordKind {
 public:
  virtual ~RecordKind() = default;

  [[nodiscard]] virtual RecordLayout layout() const = 0;
  [[nodiscard]] virtual bool counts_preemptions() const = 0;
  /// The search has come to the state whose record has its room at `record`; if
  /// it is new, there is none yet.
  virtual Admission admit(void* record, bool is_new, const Arrival& arrival) = 0;
  [[nodiscard]] virtual bool is_on_stack(const void* record) const = 0;
  [[nodiscard]] virtual unsigned preemptions(const void* record) const = 0;
  /// What it has stored beside the records.
  [[nodiscard]] virtual std::size_t bytes() const { return 0; }
};

/// The kind that a search with these options and flaws needs, perhaps within a depth.
std::unique_ptr<RecordKind> record_kind(const Options& options, const Flaws& flaws, bool is_within_depth);

}  // namespace hocket::model
