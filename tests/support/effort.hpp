// How much the tests try where there is no natural end. The nightly build tries all of it, the other builds a
// part.
#pragma once

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

}  // namespace hocket::test
