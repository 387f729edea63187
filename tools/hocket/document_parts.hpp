// Parts of the document of a failure: the order that lives of threads make, the states of a model, and which
// stores operations read.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "scheduler/schedules/schedule.hpp"

namespace hocket::tool {

/// Step `to` comes after step `from`; both are numbers of steps.
struct LifeEdge {
  std::size_t from;
  std::size_t to;
  const char* why;  ///< "creates" or "joins"
};

/// From the last step of the creator before a thread is created to the thread's first one, and from its last
/// one to the next one of the thread that joins it, as far as there are such steps. In the order of `to`.
std::vector<LifeEdge> life_edges(const nlohmann::ordered_json& document);

/// The states, and the steps between them if the file has these. Empty if the file has no states.
nlohmann::ordered_json states_of(const Schedule& schedule);

/// Sets to which state the step with this index leads, and which parts of the state change. Does nothing if
/// the file has no states.
void add_state(nlohmann::ordered_json& step, const Schedule& schedule, std::size_t n);

/// Which store each operation on an atomic reads, and which newer ones it does not: the modification order of
/// every atomic, as the steps of a failure make it.
class Stores {
 public:
  /// Steps are counted from 1. 0 stands for the value that no step stored.
  struct Use {
    std::optional<std::size_t> read;    ///< whose value the operation reads, if it reads one
    std::optional<std::size_t> behind;  ///< after which a store comes that does not become the newest
    std::vector<std::size_t> newer;     ///< the stores that are newer than that, the newest last

    [[nodiscard]] bool is_of_newest() const { return newer.empty(); }
  };

  /// What the step does to the atomic that it uses; nothing if it uses none. Steps are told one after the
  /// other. `chosen` is the store that was chosen for the step among several, if there were several.
  Use add(std::size_t number, const runtime::RecordedChoice& step, std::optional<std::size_t> chosen);

 private:
  std::map<std::string, std::vector<std::size_t>> orders_;  ///< by object; each begins with 0
};

}  // namespace hocket::tool
