// How much the tests try where there is no natural end: random programs, mutated files. The nightly build
// tries all of it, the other builds a part.
#pragma once

#include <cstdint>

namespace hocket::test {

/// Whether this build was configured with HOCKET_ALL_TESTS.
#if defined(HOCKET_ALL_TESTS)
inline constexpr bool kRunsAllTests = true;
#else
inline constexpr bool kRunsAllTests = false;
#endif

/// How many of `all` random programs this build tries: all with the CMake option HOCKET_ALL_TESTS, otherwise
/// a quarter, or a sixteenth with assertions and perhaps sanitizers, which make everything slow.
constexpr std::uint64_t part_of(std::uint64_t all) {
  if (kRunsAllTests) return all;
#if defined(NDEBUG)
  return all / 4;
#else
  return all / 16;
#endif
}

}  // namespace hocket::test
