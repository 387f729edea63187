#include "bit_states.hpp"

namespace hocket::model {

BitRecords::BitRecords(const Options& options)
    : bits_(options.bitstate_log2, options.bitstate_hashes),
      counts_preemptions_(options.strategy == "bcs"),
      most_(counts_preemptions_ ? options.max_preemptions : 0),
      knows_stack_(options.reduce || options.free_cycles) {}

Admission BitRecords::visit(const Fingerprint& fingerprint, const Arrival& arrival) {
  static constexpr std::uint32_t kNone = 0;
  Admission result{&kNone, nullptr, false, false, false};
  for (unsigned n = arrival.preemptions; n <= most_; ++n) {
    const bool is_added = bits_.insert(fingerprint, n);
    if (n == arrival.preemptions) result.is_admitted = is_added;
    result.is_new = is_added && n == most_;
    if (!is_added) break;
  }
  result.improves = result.is_new;
  size_ += result.is_new ? 1 : 0;
  if (!knows_stack_) return result;
  const auto known = stack_.find(fingerprint.low);
  if (known != stack_.end()) result.on_stack = &known->second;
  if (known == stack_.end() && result.is_admitted) result.on_stack = &stack_[fingerprint.low];
  return result;
}

bool BitRecords::is_on_stack(const Fingerprint& fingerprint) const {
  const auto known = stack_.find(fingerprint.low);
  return known != stack_.end() && known->second != 0;
}

void BitRecords::left_stack(const Fingerprint& fingerprint) {
  stack_.erase(fingerprint.low);
}

void BitRecords::conclude(Report& report) const {
  report.store_bytes = bits_.bytes();
  report.omission_probability = bits_.next_omission_probability();
}

}  // namespace hocket::model
