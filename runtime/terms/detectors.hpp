// The kinds of bugs that can be looked for or not.
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
  deadlocks,         ///< also of some threads only
  livelocks,         ///< and threads that spin without yielding, and the step limit
  misuse,            ///< objects used against their rules, or after their destruction
  held_locks,        ///< a thread ends, or the body, and a mutex is still held
  leaked_threads,    ///< neither joined nor detached when all threads have ended
  detached_threads,  ///< still running when the body ends
  exit_status,       ///< a whole program ends with another status than 0
  leaked_objects,    ///< made in the body and never destroyed
  leaked_memory,     ///< allocated in the body and never freed
};
inline constexpr unsigned kDetectors = static_cast<unsigned>(Detector::leaked_memory) + 1;

/// A set of detectors. As it begins it holds all but those that ask for a tidiness that many good tests lack:
/// leaked_objects and leaked_memory.
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
  // The last two are off.
  static constexpr std::uint32_t kByDefault = (std::uint32_t{1} << (kDetectors - 2)) - 1;

  std::uint32_t set_ = kByDefault;
};

/// One line about each detector there is, in the order of the enumeration.
struct DetectorInfo {
  std::string_view name;  ///< for example "held-locks"
  std::string_view what;
};
std::span<const DetectorInfo> detectors();

std::string_view to_string(Detector detector);

/// Finds the detector with that printed name. Returns whether there is one.
bool from_string(std::string_view name, Detector& detector);

/// `set` as it differs from the default: "leaked-memory", "-races", "leaked-objects,-held-locks", or empty.
std::string to_string(Detectors set);

/// The default set with what `text` adds, and takes away with a '-' before the name. Throws
/// std::invalid_argument, naming what it does not know and what there is.
Detectors detectors_from_string(std::string_view text);

/// Whether failures of this kind are told of when these detectors are on. A failure that nobody asked for
/// does not end the execution, or, where it cannot go on, drops it.
bool is_wanted(Detectors set, FailureKind kind);

}  // namespace hocket::runtime
