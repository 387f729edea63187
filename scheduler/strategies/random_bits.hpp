// Random numbers that depend on nothing but the seed.
#pragma once

#include <bit>
#include <cstdint>

namespace hocket {

/// xoshiro256++ of Blackman and Vigna (2018). It has 256 bits of state and takes a nanosecond per number.
/// Unlike the standard distributions, it gives the same numbers on every platform.
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {  // splitmix64, as its authors advise
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
      word = z ^ (z >> 31U);
    }
  }

  std::uint64_t operator()() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// A number below `limit`. The bias is below limit / 2^32.
  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>(((*this)() >> 32U) * limit >> 32U);
  }

 private:
  std::uint64_t state_[4];
};

}  // namespace hocket
