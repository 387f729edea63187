// What is known of executions that were cut short, because what follows was run already or will be, and of
// probes (Strategy::is_probe).
//
// Where it costs little, such an execution runs on by default choices, which cost no preemption. So it ends
// in a class that a complete strategy runs before it leaves its bound. If it does not, happens-before graphs
// do not determine what the body does: the threads share something that Hocket does not see.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "../../runtime/execution/execution_result.hpp"
#include "met_classes.hpp"

namespace hocket {

class CutShort {
 public:
  /// `known`: the classes that were run to their ends and passed.
  void add(const runtime::ExecutionResult& result, const MetClasses& known) {
    has_failed_ |= result.failed_on;
    if (result.ran_on) add_end(result.hash_at_end, known);
  }

  /// The same for an execution that passed, ended in this class, and was run only to check what was left out.
  void add_end(const runtime::ClassHash& hash, const MetClasses& known) {
    if (unknown_.size() < kMostUnknown && !known.contains(hash)) unknown_.push_back(hash);
  }

  /// Those ends that are not among these classes.
  [[nodiscard]] std::vector<runtime::ClassHash> unknown(const MetClasses& known) const {
    std::vector<runtime::ClassHash> those;
    std::copy_if(unknown_.begin(), unknown_.end(), std::back_inserter(those),
        [&](const runtime::ClassHash& hash) { return !known.contains(hash); });
    return those;
  }
  /// What another process knows of such executions.
  void add(const std::vector<runtime::ClassHash>& unknown, bool has_failed) {
    unknown_.insert(unknown_.end(), unknown.begin(), unknown.end());
    has_failed_ |= has_failed;
  }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

  /// To be asked when everything within a bound has been run: whether one of the executions ended in a way
  /// that was not met there. `has_found_failures`: some of the other executions failed.
  [[nodiscard]] bool contradicts(const MetClasses& known, bool has_found_failures) {
    const bool are_known = std::all_of(unknown_.begin(), unknown_.end(),
        [&](const runtime::ClassHash& hash) { return known.has_end(hash); });
    unknown_.clear();
    return !are_known || (has_failed_ && !has_found_failures);
  }

 private:
  static constexpr std::size_t kMostUnknown = std::size_t{1} << 16U;

  std::vector<runtime::ClassHash> unknown_;  ///< at the time when an execution ended in them
  bool has_failed_ = false;
};

}  // namespace hocket
