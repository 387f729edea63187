// The hash of a state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <variant>

#include "../../runtime/terms/action_hash.hpp"
#include "../api/model.hpp"
#include "library_types.hpp"
#include "members.hpp"

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

  /// Adds a value of any type whose parts can all be reached: numbers, enumerations, containers of the
  /// standard library, aggregates. What is added of two values that differ must differ.
  template <typename T>
  void add_value(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>) {
      add_bytes(&value, sizeof value);
    } else if constexpr (std::is_floating_point_v<T>) {
      const T without_sign_of_zero = value + T{0};
      add_bytes(&without_sign_of_zero, bytes_of_number<T>());
    } else if constexpr (LibraryOptional<T>) {
      add(value.has_value() ? 1 : 0);
      if (value.has_value()) add_value(*value);
    } else if constexpr (UnorderedLibraryContainer<T>) {
      add_unordered(value);
    } else if constexpr (is_plain_sequence<T>()) {
      add_bytes(std::data(value), std::size(value) * sizeof(*std::data(value)));
      add(std::size(value));
    } else if constexpr (LibrarySequence<T>) {
      std::uint64_t size = 0;
      for (const auto& element : value) {
        add_value(element);
        ++size;
      }
      add(size);
    } else if constexpr (LibraryTuple<T>) {
      std::apply([this](const auto&... elements) { (this->add_value(elements), ...); }, value);
    } else if constexpr (LibraryVariant<T>) {
      add(value.index());
      if (!value.valueless_by_exception())
        std::visit([this](const auto& alternative) { this->add_value(alternative); }, value);
    } else {
      static_assert(HasMembers<T>,
          "Hocket cannot reach the members of a type in the state, because some are private, it has a base "
          "class, it has more than 64 members, or Boost's headers are not installed: give the model a member "
          "hash(const State&)");
      for_each_member(value, [this](const auto& member) { this->add_value(member); });
    }
  }

  [[nodiscard]] Fingerprint result() const {
    return {low_ ^ (high_ >> 32U), runtime::fold_multiply(high_ ^ 0x589965cc75374cc3U, low_ | 1U)};
  }

 private:
  /// Whether the bytes of its elements, one after the other, are all there is to know of them.
  template <typename T>
  static constexpr bool is_plain_sequence() {
    if constexpr (LibrarySequence<T> && std::ranges::contiguous_range<const T>) {
      using Element = std::ranges::range_value_t<const T>;
      return std::is_trivially_copyable_v<Element> && std::has_unique_object_representations_v<Element>;
    } else {
      return false;
    }
  }

  /// How many bytes of a floating-point number are its value; the rest are padding.
  template <typename T>
  static constexpr std::size_t bytes_of_number() {
    constexpr int kDigitsOfX87 = 64;
    constexpr std::size_t kBytesOfX87 = 10;
    return std::numeric_limits<T>::digits == kDigitsOfX87 ? kBytesOfX87 : sizeof(T);
  }

  /// The sum of the elements' fingerprints does not depend on their order.
  template <typename T>
  void add_unordered(const T& container) {
    Fingerprint sum;
    for (const auto& element : container) {
      Hasher hasher;
      hasher.add_value(element);
      const Fingerprint one = hasher.result();
      sum.low += one.low;
      sum.high += one.high;
    }
    add(sum.low);
    add(sum.high);
    add(container.size());
  }

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
