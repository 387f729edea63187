#include "deflate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hocket::tool {

namespace {

constexpr std::size_t kLeastMatch = 3;
constexpr std::size_t kMostMatch = 258;
constexpr std::size_t kWindow = 32768;
constexpr std::size_t kHashes = std::size_t{1} << 15U;
constexpr int kMostTries = 32;
constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Symbols of matches: the first length or distance of each, and its extra bits (RFC 1951, 3.2.5).
struct Class {
  std::uint16_t first;
  std::uint8_t extra;
};
constexpr std::array<Class, 29> kLengths{{{3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}, {8, 0}, {9, 0}, {10, 0},
    {11, 1}, {13, 1}, {15, 1}, {17, 1}, {19, 2}, {23, 2}, {27, 2}, {31, 2}, {35, 3}, {43, 3}, {51, 3},
    {59, 3}, {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}}};
constexpr std::array<Class, 30> kDistances{
    {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 1}, {7, 1}, {9, 2}, {13, 2}, {17, 3}, {25, 3}, {33, 4}, {49, 4},
        {65, 5}, {97, 5}, {129, 6}, {193, 6}, {257, 7}, {385, 7}, {513, 8}, {769, 8}, {1025, 9}, {1537, 9},
        {2049, 10}, {3073, 10}, {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}}};

template <std::size_t Count>
std::size_t class_of(const std::array<Class, Count>& classes, std::size_t value) {
  const auto after = std::upper_bound(classes.begin(), classes.end(), value,
      [](std::size_t wanted, const Class& one) { return wanted < one.first; });
  return static_cast<std::size_t>(after - classes.begin()) - 1;
}

class Bits {
 public:
  void put(std::uint32_t value, unsigned count) {
    pending_ |= static_cast<std::uint64_t>(value) << count_;
    for (count_ += count; count_ >= 8; count_ -= 8, pending_ >>= 8U)
      bytes_ += static_cast<char>(pending_ & 0xffU);
  }
  /// Codes begin with their highest bit.
  void put_code(std::uint32_t code, unsigned count) {
    std::uint32_t reversed = 0;
    for (unsigned n = 0; n < count; ++n) reversed |= (code >> n & 1U) << (count - 1 - n);
    put(reversed, count);
  }
  std::string finish() {
    if (count_ != 0) put(0, 8 - count_);
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
  std::uint64_t pending_ = 0;
  unsigned count_ = 0;
};

/// A symbol in the fixed code (RFC 1951, 3.2.6).
void put_symbol(Bits& bits, std::uint32_t symbol) {
  if (symbol < 144) {
    bits.put_code(0x30 + symbol, 8);
  } else if (symbol < 256) {
    bits.put_code(0x190 + symbol - 144, 9);
  } else if (symbol < 280) {
    bits.put_code(symbol - 256, 7);
  } else {
    bits.put_code(0xc0 + symbol - 280, 8);
  }
}

void put_match(Bits& bits, std::size_t length, std::size_t distance) {
  const std::size_t of_length = class_of(kLengths, length);
  put_symbol(bits, static_cast<std::uint32_t>(257 + of_length));
  bits.put(static_cast<std::uint32_t>(length - kLengths[of_length].first), kLengths[of_length].extra);
  const std::size_t of_distance = class_of(kDistances, distance);
  bits.put_code(static_cast<std::uint32_t>(of_distance), 5);
  bits.put(
      static_cast<std::uint32_t>(distance - kDistances[of_distance].first), kDistances[of_distance].extra);
}

std::size_t hash_at(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t n) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + n]));
  };
  return ((byte(0) << 16U | byte(1) << 8U | byte(2)) * 2654435761U >> 17U) % kHashes;
}

}  // namespace

std::string deflated(std::string_view bytes) {
  std::vector<std::uint32_t> newest(kHashes, kNone);
  std::vector<std::uint32_t> older(bytes.size(), kNone);  // with the same hash
  Bits bits;
  bits.put(1, 1);  // the last block
  bits.put(1, 2);  // in the fixed code
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t best = 0;
    std::size_t distance = 0;
    const std::size_t most = std::min(kMostMatch, bytes.size() - at);
    if (most >= kLeastMatch) {
      int tries = 0;
      for (std::uint32_t from = newest[hash_at(bytes, at)];
           from != kNone && at - from <= kWindow && tries < kMostTries; from = older[from], ++tries) {
        std::size_t length = 0;
        while (length < most && bytes[from + length] == bytes[at + length]) ++length;
        if (length <= best) continue;
        best = length;
        distance = at - from;
      }
    }
    if (best >= kLeastMatch) {
      put_match(bits, best, distance);
    } else {
      best = 1;
      put_symbol(bits, static_cast<unsigned char>(bytes[at]));
    }
    for (const std::size_t end = at + best; at < end; ++at) {
      if (at + kLeastMatch > bytes.size()) continue;
      std::uint32_t& head = newest[hash_at(bytes, at)];
      older[at] = head;
      head = static_cast<std::uint32_t>(at);
    }
  }
  put_symbol(bits, 256);  // the end
  return bits.finish();
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t n = 0; n < 3; ++n)
      group = group << 8U | (n < count ? static_cast<unsigned char>(bytes[at + n]) : 0U);
    for (std::size_t n = 0; n < 4; ++n) text += n <= count ? kDigits[group >> (18 - 6 * n) & 63U] : '=';
  }
  return text;
}

}  // namespace hocket::tool
