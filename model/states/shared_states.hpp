// A set of states that several threads fill.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#include "../api/report.hpp"
#include "records.hpp"
#include "stores.hpp"

namespace hocket::model {

/// The fingerprint decides in which part of the set a state is, and each part has a lock. A set for one
/// thread has one part and does not lock it.
template <typename State, typename RecordType>
class SharedStates {
 public:
  using Record = RecordType;
  using Set = StateSet<State, Record>;

  SharedStates(Keeps keeps, unsigned jobs) : keeps_(keeps) {
    for (std::size_t n = jobs > 1 ? kParts : 1; n != 0; --n) parts_.emplace_back(keeps);
  }

  struct Place {
    const Record* record;
    bool improves;  ///< the state is new, or was reached with fewer preemptions than before
    bool is_new;
    bool is_admitted;
  };
  Place visit(const Fingerprint& fingerprint, const State& state, const Arrival& arrival) {
    Part& part = parts_[part_of(fingerprint)];
    std::unique_lock<std::mutex> lock;
    if (parts_.size() > 1) lock = std::unique_lock(part.mutex);
    return visit_in(part, fingerprint, state, arrival);
  }

  /// A state that waits for its visit.
  struct Visitor {
    Fingerprint fingerprint;
    State state;
    Arrival arrival;
  };
  /// Visits states of one part together, so that the part moves only once to the calling thread's processor.
  /// The places are those of the visitors, in order.
  template <typename Visitors>
  void visit_together(std::size_t part, const Visitors& visitors, std::vector<Place>& places) {
    Part& together = parts_[part];
    const std::lock_guard lock(together.mutex);
    places.clear();
    for (const Visitor& visitor : visitors) {
      places.push_back(visit_in(together, visitor.fingerprint, visitor.state, visitor.arrival));
    }
  }
  [[nodiscard]] std::size_t parts() const { return parts_.size(); }
  [[nodiscard]] std::size_t part_of(const Fingerprint& fingerprint) const {
    return fingerprint.high & (parts_.size() - 1);
  }

  // The figures are those of one moment only if no other thread adds states.
  [[nodiscard]] std::size_t size() const { return sum(&Set::size); }
  [[nodiscard]] std::size_t bytes() const { return sum(&Set::bytes_after_insert); }

  void conclude(Report& report) const {
    report.store_bytes = sum(&Set::bytes);
    report.omission_probability = Set::omission_probability(keeps_, size());
    for (const Part& part : parts_) count_bounds(part.set, report);
  }

 private:
  static constexpr std::size_t kParts = 64;
  struct alignas(64) Part {
    explicit Part(Keeps keeps) : set(keeps) {}
    mutable std::mutex mutex;
    Set set;
  };

  static Place visit_in(
      Part& part, const Fingerprint& fingerprint, const State& state, const Arrival& arrival) {
    const auto place = part.set.insert(fingerprint, state);
    const bool improves = place.is_new || arrival.preemptions < place.record->preemptions();
    return {place.record, improves, place.is_new, place.record->admit(arrival, place.is_new)};
  }

  std::size_t sum(std::size_t (Set::*figure)() const) const {
    std::size_t total = 0;
    for (const Part& part : parts_) {
      std::unique_lock<std::mutex> lock;
      if (parts_.size() > 1) lock = std::unique_lock(part.mutex);
      total += (part.set.*figure)();
    }
    return total;
  }

  Keeps keeps_;
  std::deque<Part> parts_;
};

}  // namespace hocket::model
