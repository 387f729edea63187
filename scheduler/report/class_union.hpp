// The classes that several shards of a search have met, each counted once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hocket {

class ClassUnion {
 public:
  static constexpr std::size_t kDigits = 32;  ///< of a class, in hexadecimal

  /// Adds the classes that a shard has met for the first time at this bound, in lower-case digits one after
  /// the other. Returns false if the text is something else; some of it may have been added then.
  bool add(std::string_view classes, std::uint32_t bound);

  /// How many there are at bound 0, 1, …: a class is of the least bound at which any shard has met it.
  [[nodiscard]] std::vector<std::uint64_t> by_bound() &&;

 private:
  struct Entry {
    std::uint64_t high;
    std::uint64_t low;
    std::uint32_t bound;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries_;
  std::size_t bounds_ = 0;
};

}  // namespace hocket
