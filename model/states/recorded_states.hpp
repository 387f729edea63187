// States or fingerprints with records.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "state_set.hpp"
#include "state_store.hpp"
#include "stores.hpp"

namespace hocket::model {

/// Several threads may fill it: the fingerprint decides in which part of the
/// set a state is, and each part has a lock. A set for one thread has one part
/// and does not lock it.
template <typename State>
class RecordedStates final : public StateStore<State> {
 public:
  using Visitor = typename StateStore<State>::Visitor;

  RecordedStates(const Options& options, const Flaws& flaws, bool is_within_depth)
      : keeps_(keeps_for(options.store)), kind_(record_kind(options, flaws, is_within_depth)) {
    for (std::size_t n = options.jobs > 1 ? kParts : 1; n != 0; --n)
      parts_.push_back(std::make_unique<Part>(keeps_, kind_->layout()));
  }

  [[nodiscard]] bool counts_preemptions() const override { return kind_->counts_preemptions(); }

  Admission visit(const Fingerprint& fingerprint, const State& state, const Arrival& arrival) override {
    Part& part = *parts_[part_of(fingerprint)];
    const std::unique_lock<std::mutex> lock = locked(part);
    return visit_in(part, fingerprint, state, arrival);
  }
  void visit_together(std::span<const Visitor> visitors, std::vector<Admission>& admissions) override {
    Part& together = *parts_[part_of(visitors.front().fingerprint)];
    const std::unique_lock<std::mutex> lock = locked(together);
    for (const Visitor& visitor : visitors) together.set.fetch_slot(visitor.fingerprint);
    for (const Visitor& visitor : visitors) together.set.fetch_entry(visitor.fingerprint);
    admissions.clear();
    for (const Visitor& visitor : visitors)
      admissions.push_back(visit_in(together, visitor.fingerprint, visitor.state, visitor.arrival));
  }
  [[nodiscard]] std::size_t part_of(const Fingerprint& fingerprint) const override {
    return fingerprint.high & (parts_.size() - 1);
  }
  [[nodiscard]] std::size_t parts() const override { return parts_.size(); }

  bool is_on_stack(const Fingerprint& fingerprint, const State& state) override {
    const void* const record = parts_[part_of(fingerprint)]->set.find(fingerprint, state);
    return record != nullptr && kind_->is_on_stack(record);
  }
  void left_stack(const Fingerprint& /*fingerprint*/) override {}

  [[nodiscard]] std::size_t size() const override { return sum(&Set::size); }
  [[nodiscard]] std::size_t bytes() const override { return sum(&Set::bytes_after_insert) + kind_->bytes(); }
  void conclude(Report& report) const override {
    report.store_bytes = sum(&Set::bytes) + kind_->bytes();
    report.omission_probability = omission_probability(keeps_, size());
    if (!kind_->counts_preemptions()) return;
    for (const auto& part : parts_) {
      for (std::size_t n = 0; n < part->set.size(); ++n)
        count_bound(kind_->preemptions(part->set.record(n)), report);
    }
  }

 private:
  using Set = RawStateSet<State>;
  static constexpr std::size_t kParts = 64;
  struct alignas(64) Part {
    Part(Keeps keeps, RecordLayout record) : set(keeps, record) {}
    mutable std::mutex mutex;
    Set set;
  };

  /// Others have it for less time than it takes to sleep.
  [[nodiscard]] std::unique_lock<std::mutex> locked(Part& part) const {
    constexpr int kTries = 1000;
    if (parts_.size() == 1) return {};
    std::unique_lock<std::mutex> lock(part.mutex, std::defer_lock);
    for (int tries = 0; tries < kTries; ++tries) {
      if (lock.try_lock()) return lock;
    }
    lock.lock();
    return lock;
  }

  Admission visit_in(Part& part, const Fingerprint& fingerprint, const State& state, const Arrival& arrival) {
    const auto place = part.set.insert(fingerprint, state);
    return kind_->admit(place.record, place.is_new, arrival);
  }

  std::size_t sum(std::size_t (Set::*figure)() const) const {
    std::size_t total = 0;
    for (const auto& part : parts_) {
      std::unique_lock<std::mutex> lock;
      if (parts_.size() > 1) lock = std::unique_lock(part->mutex);
      total += (part->set.*figure)();
    }
    return total;
  }

  Keeps keeps_;
  std::unique_ptr<RecordKind> kind_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace hocket::model
