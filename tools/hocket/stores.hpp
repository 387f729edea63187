// Which store each operation on an atomic reads, and which newer ones it does not: the modification order of
// every atomic, as the steps of a failure make it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/schedules/schedule.hpp"

namespace hocket::tool {

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
