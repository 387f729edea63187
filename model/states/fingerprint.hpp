// The hash of a state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <type_traits>

#if __has_include(<boost/pfr.hpp>)  // from Boost 1.75 on
#include <boost/pfr.hpp>
#define HOCKET_HAS_PFR
#endif

#include "../../runtime/terms/action_hash.hpp"
#include "../api/model.hpp"

namespace hocket::model {

struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// Computes a fingerprint of 128 bits word by word.
class Hasher {
 public:
  void add(std::uint64_t word) {
    low_ = runtime::fold_multiply(low_ ^ word, 0xa0761d6478bd642fU);
    high_ = runtime::fold_multiply(high_ ^ word ^ 0x8ebc6af09c88c6e3U, 0xe7037ed1a0b428dbU) + low_;
  }

  void add_bytes(const void* bytes, std::size_t size) {
    const auto* from = static_cast<const unsigned char*>(bytes);
    for (; size >= sizeof(std::uint64_t); from += sizeof(std::uint64_t), size -= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, from, sizeof word);
      add(word);
    }
    if (size != 0) {
      std::uint64_t word = 0;
      std::memcpy(&word, from, size);
      add(word ^ static_cast<std::uint64_t>(size) << 56U);
    }
  }

  /// Adds a value of any type whose parts can be reached: integers, enumerations, ranges, aggregates.
  template <typename T>
  void add_value(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>) {
      add_bytes(&value, sizeof value);
    } else if constexpr (std::is_floating_point_v<T>) {
      const T without_sign_of_zero = value + T{0};
      add_bytes(&without_sign_of_zero, sizeof(T) < sizeof(double) ? sizeof(T) : sizeof(double));
    } else if constexpr (requires {
                           value.has_value();
                           *value;
                         }) {
      add(value.has_value() ? 1 : 0);
      if (value.has_value()) add_value(*value);
    } else if constexpr (std::ranges::range<const T>) {
      std::uint64_t size = 0;
      for (const auto& element : value) {
        add_value(element);
        ++size;
      }
      add(size);
    } else if constexpr (requires {
                           value.first;
                           value.second;
                         }) {
      add_value(value.first);
      add_value(value.second);
    } else {
#if defined(HOCKET_HAS_PFR)
      static_assert(std::is_aggregate_v<T>, "give the model a member hash(const State&)");
      boost::pfr::for_each_field(value, [this](const auto& field) { this->add_value(field); });
#else
      static_assert(
          sizeof(T) == 0, "give the model a member hash(const State&), or install Boost 1.75 or later");
#endif
    }
  }

  [[nodiscard]] Fingerprint result() const {
    return {low_ ^ (high_ >> 32U), runtime::fold_multiply(high_ ^ 0x589965cc75374cc3U, low_ | 1U)};
  }

 private:
  std::uint64_t low_ = 0x4b33a62ed433d4a3U;
  std::uint64_t high_ = 0x4d5a2da51de1aa47U;
};

template <Model M>
Fingerprint fingerprint(const M& model, const StateOf<M>& state) {
  Hasher hasher;
  if constexpr (HasHash<M>) {
    hasher.add(model.hash(state));
  } else {
    hasher.add_value(state);
  }
  return hasher.result();
}

}  // namespace hocket::model
