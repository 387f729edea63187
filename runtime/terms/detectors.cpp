#include "detectors.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "english.hpp"

namespace hocket::runtime {

namespace {

constexpr std::array<DetectorInfo, kDetectors> kAbout{{
    {"races", "data races on vars"},
    {"deadlocks", "threads that wait for ever"},
    {"livelocks", "threads that repeat the same steps for ever"},
    {"misuse", "objects used against their rules, or after their destruction"},
    {"held-locks", "a thread or the body ends and still holds a mutex"},
    {"leaked-threads", "threads that are neither joined nor detached at the end"},
    {"detached-threads", "detached threads that still run when the body ends"},
    {"exit-status", "whole programs that end with a non-zero status"},
    {"atomicity", "blocks that are marked as atomic, and other threads come between their operations"},
    {"lock-orders", "deadlocks that a search misses, where threads take locks in different orders"},
    {"leaked-objects", "hocket:: objects made in the body and never destroyed"},
    {"leaked-memory", "memory allocated in the body and never freed"},
    {"spins", "loops of instrumented code that retry without yielding"},
}};

std::string names() {
  std::vector<std::string_view> all;
  for (const DetectorInfo& info : kAbout) all.push_back(info.name);
  return listed(all);
}

}  // namespace

std::span<const DetectorInfo> detectors() {
  return kAbout;
}

std::string_view to_string(Detector detector) {
  return kAbout[static_cast<std::size_t>(detector)].name;
}

bool from_string(std::string_view name, Detector& detector) {
  for (std::size_t n = 0; n < kAbout.size(); ++n) {
    if (kAbout[n].name != name) continue;
    detector = static_cast<Detector>(n);
    return true;
  }
  return false;
}

std::string to_string(Detectors set) {
  std::string text;
  for (std::size_t n = 0; n < kAbout.size(); ++n) {
    const auto detector = static_cast<Detector>(n);
    if (set.contains(detector) == Detectors().contains(detector)) continue;
    if (!text.empty()) text += ',';
    if (!set.contains(detector)) text += '-';
    text += kAbout[n].name;
  }
  return text;
}

Detectors detectors_from_string(std::string_view text) {
  Detectors set;
  while (!text.empty()) {
    const std::size_t end = text.find(',');
    std::string_view name = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    const bool takes_away = name.starts_with('-');
    if (takes_away) name.remove_prefix(1);
    Detector detector{};
    if (!from_string(name, detector)) {
      throw std::invalid_argument("there is no detector \"" + std::string(name) + "\"; the detectors are " +
                                  names() + "; a '-' before a name switches it off");
    }
    set = takes_away ? set.without(detector) : set.with(detector);
  }
  return set;
}

bool is_wanted(Detectors set, FailureKind kind) {
  switch (kind) {
    case FailureKind::data_race:
      return set.contains(Detector::races);
    case FailureKind::atomicity:
      return set.contains(Detector::atomicity);
    case FailureKind::deadlock:
      return set.contains(Detector::deadlocks);
    case FailureKind::step_limit:
    case FailureKind::livelock:
    case FailureKind::spin:
      return set.contains(Detector::livelocks);
    case FailureKind::misuse:
    case FailureKind::use_after_destruction:
    case FailureKind::joinable_destroyed:
      return set.contains(Detector::misuse);
    default:
      return true;  // there are several kinds of leaks; each check tests its own detector first
  }
}

}  // namespace hocket::runtime
