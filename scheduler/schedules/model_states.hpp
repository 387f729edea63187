// The states of a model (hocket::model) to which a failing path leads, and those around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hocket {

struct ModelStates {
  using Number = std::uint32_t;                    ///< index in `states`
  static constexpr std::size_t kMostParts = 1000;  ///< of a state, in a file

  /// A step that a process can take.
  struct Transition {
    Number from = 0;
    std::string process;  ///< its name
    std::string action;
    std::optional<Number> to;  ///< none: the step is an error
  };

  /// What the parts of a state are called; empty if that is not known.
  std::vector<std::string> members;
  /// Each as text, in parts. The first one is where paths begin.
  std::vector<std::vector<std::string>> states;
  /// For each choice of the schedule the state to which it leads. Empty if the states are not known.
  std::vector<Number> path;
  /// All steps of all states. Empty if these are too many: then `states` has those of the path only.
  std::vector<Transition> transitions;
};

}  // namespace hocket
