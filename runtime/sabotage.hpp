// Faults that are put in on purpose, to see that the property tests notice them. There are none in a normal
// build: only tests/sabotage/ compiles the library with HOCKET_SABOTAGE.
#pragma once

#include <cstdint>

namespace hocket::runtime {

enum class Sabotage : std::uint8_t {
  none,
  no_versions,                  ///< actions do not say which version of the object they found or made
  no_versions_of_reads,         ///< reads do not: a read does not depend on writes any more
  no_outcomes,                  ///< the outcome of a choice is no part of its action
  objects_named_by_creation,    ///< across all threads, instead of by creator
  no_last_thread_in_cache_key,  ///< of the strategy hb-cache
};

#if defined(HOCKET_SABOTAGE)
inline Sabotage sabotage = Sabotage::none;
inline bool is_sabotaged(Sabotage fault) {
  return fault == sabotage;
}
#else
constexpr bool is_sabotaged(Sabotage /*fault*/) {
  return false;
}
#endif

}  // namespace hocket::runtime
