#include "class_union.hpp"

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace hocket {

namespace {

/// Reads so many digits. Returns false if there are others.
bool read(const char* digits, std::size_t count, std::uint64_t& number) {
  constexpr int kHexadecimal = 16;
  const auto [end, error] = std::from_chars(digits, digits + count, number, kHexadecimal);
  return error == std::errc{} && end == digits + count;
}

}  // namespace

// Sorted at the end: a table of hashes takes three times as much memory, and waits for it at each class.
bool ClassUnion::add(std::string_view classes, std::uint32_t bound) {
  constexpr std::size_t kHalf = kDigits / 2;
  if (classes.size() % kDigits != 0) return false;
  bounds_ = std::max<std::size_t>(bounds_, bound + 1);
  for (; !classes.empty(); classes.remove_prefix(kDigits)) {
    Entry entry{0, 0, bound};
    if (!read(classes.data(), kHalf, entry.high) || !read(classes.data() + kHalf, kHalf, entry.low))
      return false;
    entries_.push_back(entry);
  }
  return true;
}

std::vector<std::uint64_t> ClassUnion::by_bound() && {
  std::sort(entries_.begin(), entries_.end());
  std::vector<std::uint64_t> counts(bounds_);
  for (std::size_t n = 0; n < entries_.size(); ++n) {
    const bool is_known =
        n != 0 && entries_[n].high == entries_[n - 1].high && entries_[n].low == entries_[n - 1].low;
    counts[entries_[n].bound] += is_known ? 0 : 1;
  }
  entries_ = {};
  return counts;
}

}  // namespace hocket
