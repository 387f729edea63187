// How much the tests try of what has no end: random programs, mutated files. All of it in the nightly build,
// a part in the others.
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
/// a quarter; with assertions, and perhaps sanitizers, which make everything slow, a sixteenth.
constexpr std::uint64_t part_of(std::uint64_t all) {
  if (kRunsAllTests) return all;
#if defined(NDEBUG)
  return all / 4;
#else
  return all / 16;
#endif
}

}  // namespace hocket::test
