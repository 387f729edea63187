// The side of a supervised search: see ../process/supervised_area.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "../api/report.hpp"
#include "../process/supervised_area.hpp"
#include "../schedules/schedule.hpp"

namespace hocket {

/// While an object of this class exists, the supervisor of this process, if there is one, can see the
/// execution that runs.
class SupervisedSearch {
 public:
  /// `about` describes the search, and `folder` is where a schedule of it goes; empty: nowhere.
  SupervisedSearch(const Schedule& about, const std::string& folder);
  ~SupervisedSearch();
  SupervisedSearch(const SupervisedSearch&) = delete;
  SupervisedSearch& operator=(const SupervisedSearch&) = delete;

  /// To be called before a search, also of one that it does not see: then the program ends with its
  /// supervisor. This opens a file for a moment.
  static void look_for_supervisor();

  /// Whether the supervisor sees the execution that runs.
  static bool is_seen() { return counts != nullptr; }

  /// So much has come to its end.
  static void note(const Coverage& c) {
    if (counts == nullptr) return;
    supervised_area::Counts& all = *counts;
    all.executions = c.executions;
    all.pruned = c.pruned;
    all.dropped = c.dropped;
    all.classes = c.classes;
    all.failed_classes = c.failed_classes;
    all.steps = c.steps;
    all.count_of_bounds = std::min(c.bounds.size(), all.bounds.size());
    // Those before the last two do not change any more.
    for (std::size_t n = all.count_of_bounds; n-- > 0 && n + 2 >= all.count_of_bounds;) {
      const BoundReport& bound = c.bounds[n];
      all.bounds[n] = {bound.executions, bound.classes, bound.failures, bound.complete};
    }
  }

  /// The search goes on under other rules than those of the last description.
  static void describe(const Schedule& about);

  /// Where the process says what the supervisor is to tell.
  static LastWords& words() {
    return *reinterpret_cast<LastWords*>(supervised_area::area() + supervised_area::kWords);
  }

  /// The process has told how it ends, so the supervisor need not.
  static void told();

 private:
  static inline constinit supervised_area::Counts* counts = nullptr;  ///< where the supervisor sees them
  bool is_seen_ = false;
};

}  // namespace hocket
