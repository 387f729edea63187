// The kinds of bugs that can be detected, each of which can be turned on or off.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "failure.hpp"

namespace hocket::runtime {

enum class Detector : std::uint8_t {
  races,             ///< data races on vars
  deadlocks,         ///< including those of only some of the threads
  livelocks,         ///< also threads that spin without yielding, and the step limit
  misuse,            ///< objects used against their rules, or after their destruction
  held_locks,        ///< a mutex still held when a thread or the body ends
  leaked_threads,    ///< threads neither joined nor detached when all threads have ended
  detached_threads,  ///< still running when the body ends
  exit_status,       ///< a whole program that ends with a status other than 0
  atomicity,         ///< blocks that are marked as atomic and are not
  lock_orders,       ///< deadlocks that a search misses: threads take locks in different orders
  leaked_objects,    ///< made in the body and never destroyed
  leaked_memory,     ///< allocated in the body and never freed
  spins,             ///< in instrumented code: loops that retry and never yield, see Retries
};
inline constexpr unsigned kDetectors = static_cast<unsigned>(Detector::spins) + 1;

/// A set of detectors. The default holds all except leaked_objects and leaked_memory, because many good tests
/// do not clean up that strictly, and spins, because much good code waits so.
class Detectors {
 public:
  constexpr Detectors() = default;

  [[nodiscard]] constexpr bool contains(Detector detector) const { return (set_ & bit(detector)) != 0; }
  [[nodiscard]] constexpr Detectors with(Detector detector) const { return Detectors(set_ | bit(detector)); }
  [[nodiscard]] constexpr Detectors without(Detector detector) const {
    return Detectors(set_ & ~bit(detector));
  }
  friend constexpr bool operator==(Detectors, Detectors) = default;

 private:
  constexpr explicit Detectors(std::uint32_t set) : set_(set) {}
  static constexpr std::uint32_t bit(Detector detector) {
    return std::uint32_t{1} << static_cast<unsigned>(detector);
  }
  // The last three are off by default.
  static constexpr std::uint32_t kByDefault = (std::uint32_t{1} << (kDetectors - 3)) - 1;

  std::uint32_t set_ = kByDefault;
};

/// A description of each detector, in the order of the enumeration.
struct DetectorInfo {
  std::string_view name;  ///< for example "held-locks"
  std::string_view what;
};
std::span<const DetectorInfo> detectors();

std::string_view to_string(Detector detector);

/// Finds the detector with that printed name. Returns false if there is none.
bool from_string(std::string_view name, Detector& detector);

/// The difference of `set` from the default: "leaked-memory", "-races", "leaked-objects,-held-locks", or
/// empty.
std::string to_string(Detectors set);

/// The default set plus the detectors named in `text`, and minus those with a '-' before the name. Throws
/// std::invalid_argument with the unknown name and the list of known ones.
Detectors detectors_from_string(std::string_view text);

/// Whether failures of this kind are reported when these detectors are on. A failure that is not wanted does
/// not end the execution; if the execution cannot continue after it, the execution is dropped.
bool is_wanted(Detectors set, FailureKind kind);

}  // namespace hocket::runtime
