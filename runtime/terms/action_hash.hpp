// The identity of a happens-before class, kept up to date action by action.
//
// A class is the set of its actions (Musuvathi & Qadeer, Partial-Order Reduction for Context-Bounded State
// Exploration, section 3.3): each names the thread, its place in that thread, the operation, and for each
// object touched whether it was read or written and at which version. Equivalent executions have the same
// set, whatever the order, so the hash is a commutative sum of one 128-bit hash for each action. Nothing in
// it depends on addresses.
#pragma once

#include <cstdint>

#include "operation.hpp"
#include "sabotage.hpp"

namespace hocket::runtime {

/// One 64-bit hash of two words: the high and the low half of their product, folded.
inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Mixes two words into a well spread third one; for keys, not on the hot path.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t once = fold_multiply(a ^ 0x9e3779b97f4a7c15U, b ^ 0xe7037ed1a0b428dbU);
  return fold_multiply(once ^ 0x8ebc6af09c88c6e3U, b + 0x589965cc75374cc3U);
}

struct ClassHash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  /// Adds one action: `who` names the thread and the action's position in it, `what` the operation, object
  /// and version.
  void add(std::uint64_t who, std::uint64_t what) {
    // Two independent folds. Without the shift the sum would be that of the plain products, in which
    // exchanging two versions cancels out.
    const std::uint64_t first = fold_multiply(who ^ 0xa0761d6478bd642fU, what ^ 0x8bb84b93962eacc9U);
    const std::uint64_t second = fold_multiply(what ^ 0x4b33a62ed433d4a3U, who ^ 0x4d5a2da51de1aa47U);
    low += first ^ (second >> 29);
    high += second ^ (first >> 31);
  }

  /// Add or remove the actions of a set that has none in common with the rest.
  ClassHash& operator+=(const ClassHash& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  ClassHash& operator-=(const ClassHash& other) {
    low -= other.low;
    high -= other.high;
    return *this;
  }

  friend bool operator==(const ClassHash&, const ClassHash&) = default;
};

/// Added to the word that names one action of a thread, gives the word that names its next one.
inline constexpr std::uint64_t kActionStride = 0xd1342543de82ef95U;

/// What an action does to the object with the stable name `key`. A write has made `version`; a read has found
/// it.
inline std::uint64_t action_word(
    std::uint64_t key, std::uint32_t version, Operation operation, Access access) {
  const bool without_version = is_sabotaged(Sabotage::no_versions) ||
                               (is_sabotaged(Sabotage::no_versions_of_reads) && access == Access::read);
  const std::uint64_t what = static_cast<std::uint64_t>(without_version ? 0 : version) << 9U |
                             static_cast<std::uint64_t>(operation) << 1U | static_cast<std::uint64_t>(access);
  return key + what * 0x9e3779b97f4a7c15U;
}

/// An action that touches no object, or the outcome of a choice.
inline std::uint64_t outcome_word(Operation operation, std::uint64_t outcome) {
  return mix(static_cast<std::uint64_t>(operation), is_sabotaged(Sabotage::no_outcomes) ? 0 : outcome);
}

}  // namespace hocket::runtime
