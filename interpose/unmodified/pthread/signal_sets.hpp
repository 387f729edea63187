// Sets of signals, and which signals there are.
#pragma once

#include <bit>
#include <csignal>
#include <cstdint>

namespace hocket::unmodified::signals {

/// A set of signals. Signal 1 is the lowest bit.
using SignalSet = std::uint64_t;

constexpr SignalSet bit_of(int number) {
  return SignalSet{1} << static_cast<unsigned>(number - 1);
}
constexpr int kFirstOfLibrary = 32;  ///< signals 32 and 33 are the C library's own
constexpr int kLastOfLibrary = 33;

inline bool is_valid_signal(int number) {
  return number >= 1 && number < NSIG && (number < kFirstOfLibrary || number > kLastOfLibrary);
}
inline SignalSet from_system(const sigset_t& system) {
  SignalSet set = 0;
  for (int n = 1; n < NSIG; ++n) {
    if (sigismember(&system, n) == 1) set |= bit_of(n);
  }
  return set;
}
inline void to_system(SignalSet set, sigset_t& system) {
  sigemptyset(&system);
  for (int n = 1; n < NSIG; ++n) {
    if ((set & bit_of(n)) != 0) sigaddset(&system, n);
  }
}
/// The lowest signal of the set.
inline int first_of(SignalSet set) {
  return std::countr_zero(set) + 1;
}

}  // namespace hocket::unmodified::signals
