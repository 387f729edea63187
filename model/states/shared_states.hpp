// A set of states that several threads fill.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "../api/report.hpp"
#include "records.hpp"
#include "stores.hpp"

namespace hocket::model {

/// The fingerprint decides in which part of the set a state is, and each part has a lock. A set for one
/// thread has one part and does not lock it.
template <typename State, template <typename> typename KeyOf, typename RecordType>
class SharedStates {
 public:
  using Record = RecordType;
  using Set = StateSet<typename KeyOf<State>::Key, Record>;

  explicit SharedStates(unsigned jobs) : parts_(jobs > 1 ? kParts : 1) {}

  struct Place {
    const Record* record;
    bool is_new;
    bool is_admitted;
  };
  Place visit(const Fingerprint& fingerprint, const State& state, const Arrival& arrival) {
    Part& part = parts_[fingerprint.high & (parts_.size() - 1)];
    std::unique_lock<std::mutex> lock;
    if (parts_.size() > 1) lock = std::unique_lock(part.mutex);
    const auto place = part.set.insert(fingerprint, KeyOf<State>::of(state, fingerprint));
    return {&place.entry->record, place.is_new, place.entry->record.admit(arrival, place.is_new)};
  }

  // The figures are those of one moment only if no other thread adds states.
  [[nodiscard]] std::size_t size() const { return sum(&Set::size); }
  [[nodiscard]] std::size_t bytes() const { return sum(&Set::bytes_after_insert); }

  void conclude(Report& report) const {
    report.store_bytes = sum(&Set::bytes);
    report.omission_probability = KeyOf<State>::omission_probability(size());
    for (const Part& part : parts_) count_bounds(part.set, report);
  }

 private:
  static constexpr std::size_t kParts = 256;
  struct alignas(64) Part {
    mutable std::mutex mutex;
    Set set;
  };

  std::size_t sum(std::size_t (Set::*figure)() const) const {
    std::size_t total = 0;
    for (const Part& part : parts_) {
      std::unique_lock<std::mutex> lock;
      if (parts_.size() > 1) lock = std::unique_lock(part.mutex);
      total += (part.set.*figure)();
    }
    return total;
  }

  std::vector<Part> parts_;
};

}  // namespace hocket::model
