// States as bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "../api/options.hpp"
#include "state_store.hpp"
#include "stores.hpp"

namespace hocket::model {

/// A state that is reached with some number of preemptions is stored for that
/// number and for all greater ones, because nothing else can be stored with it
/// (Holzmann and Florian, section 3.2).
class BitRecords {
 public:
  explicit BitRecords(const Options& options);

  Admission visit(const Fingerprint& fingerprint, const Arrival& arrival);
  [[nodiscard]] bool is_on_stack(const Fingerprint& fingerprint) const;
  void left_stack(const Fingerprint& fingerprint);
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return bits_.bytes(); }
  void conclude(Report& report) const;
  [[nodiscard]] bool counts_preemptions() const { return counts_preemptions_; }

 private:
  BitArray bits_;
  bool counts_preemptions_;
  unsigned most_;
  bool knows_stack_;
  std::size_t size_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> stack_;
};

template <typename State>
class BitStates final : public StateStore<State> {
 public:
  using Visitor = typename StateStore<State>::Visitor;

  explicit BitStates(const Options& options) : records_(options) {}

  [[nodiscard]] bool counts_preemptions() const override { return records_.counts_preemptions(); }
  Admission visit(const Fingerprint& fingerprint, const State& /*state*/, const Arrival& arrival) override {
    return records_.visit(fingerprint, arrival);
  }
  bool is_on_stack(const Fingerprint& fingerprint, const State& /*state*/) override {
    return records_.is_on_stack(fingerprint);
  }
  void left_stack(const Fingerprint& fingerprint) override { records_.left_stack(fingerprint); }
  void visit_together(std::span<const Visitor> visitors, std::vector<Admission>& admissions) override {
    admissions.clear();
    for (const Visitor& visitor : visitors)
      admissions.push_back(records_.visit(visitor.fingerprint, visitor.arrival));
  }
  [[nodiscard]] std::size_t part_of(const Fingerprint& /*fingerprint*/) const override { return 0; }
  [[nodiscard]] std::size_t parts() const override { return 1; }
  [[nodiscard]] std::size_t size() const override { return records_.size(); }
  [[nodiscard]] std::size_t bytes() const override { return records_.bytes(); }
  void conclude(Report& report) const override { records_.conclude(report); }

 private:
  BitRecords records_;
};

}  // namespace hocket::model
