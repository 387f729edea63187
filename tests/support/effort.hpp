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

/// Whether this build has assertions and perhaps sanitizers, which make everything slow. What it has to
/// notice are wrong accesses and wrong beliefs, for which it need not count what the other builds have
/// counted.
#if defined(NDEBUG)
inline constexpr bool kIsSlow = false;
#else
inline constexpr bool kIsSlow = true;
#endif

/// Whether this build leaves out long tests that meet no access and no belief which shorter ones do not: the
/// preset ci-sanitizers does.
#if defined(HOCKET_SHORT_TESTS)
inline constexpr bool kIsShort = true;
#else
inline constexpr bool kIsShort = false;
#endif

/// How many of `all` random programs this build tries: all with the CMake option HOCKET_ALL_TESTS, otherwise
/// a quarter, or a sixteenth if it is slow.
constexpr std::uint64_t part_of(std::uint64_t all) {
  if (kRunsAllTests) return all;
  return all / (kIsSlow ? 16 : 4);
}

}  // namespace hocket::test
