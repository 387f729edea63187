// The side of a supervised search: see ../process/supervised_area.hpp.
#pragma once

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
    if (counts != nullptr)
      *counts = {c.executions, c.pruned, c.dropped, c.classes, c.failed_classes, c.steps};
  }

  /// The search goes on under other rules than those of the last description.
  static void describe(const Schedule& about);

  /// The process has told how it ends, so the supervisor need not. Can be called in the handler of a signal.
  static void told();

 private:
  static inline constinit supervised_area::Counts* counts = nullptr;  ///< where the supervisor sees them
  bool is_seen_ = false;
};

}  // namespace hocket
