// The classes that a search has met, and what is known of executions that were cut short, because what
// follows was run already or will be, and of probes (Strategy::is_probe).
//
// Where it costs little, such an execution runs on by default choices, which cost no preemption. So it ends
// in a class that a complete strategy runs before it leaves its bound. If it does not, happens-before graphs
// do not determine what the body does: the threads share something that Hocket does not see.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "../../runtime/execution/execution_result.hpp"
#include "../../runtime/terms/action_hash.hpp"
#include "../graph/class_set.hpp"
#include "../strategies/shared_states.hpp"

namespace hocket {

/// The classes that a search has met: a set for the executions that passed and one for those that failed, or
/// one table for both that jobs share.
class MetClasses {
 public:
  /// Returns whether it is the first execution of this class that passed, or failed.
  [[nodiscard]] bool insert(const runtime::ClassHash& hash, bool passed) {
    if (shared_ != nullptr) [[unlikely]]
      return shared_->insert(passed ? hash : of_failed(hash));
    return (passed ? passed_ : failed_).insert(hash);
  }
  /// An execution went past a race, which is a failure, and came to its end.
  void insert_raced(const runtime::ClassHash& hash) { raced_.insert(hash); }

  /// Whether an execution of this class has passed.
  [[nodiscard]] bool contains(const runtime::ClassHash& hash) const {
    return shared_ != nullptr ? shared_->contains(hash) : passed_.contains(hash);
  }
  /// Whether one has come to its end, as it passed, or failed by a race alone; with jobs, or failed.
  [[nodiscard]] bool has_end(const runtime::ClassHash& hash) const {
    return contains(hash) || raced_.contains(hash) ||
           (shared_ != nullptr && shared_->contains(of_failed(hash)));
  }

  /// From now on jobs share the table, to which those are added that are known.
  void share(std::shared_ptr<SharedStates> table) {
    const auto add = [&](const runtime::ClassHash& hash) {
      static_cast<void>(table->insert(hash));
      if (table->asks_to_grow()) table->grow();
    };
    passed_.for_each(add);
    failed_.for_each([&](const runtime::ClassHash& hash) { add(of_failed(hash)); });
    passed_ = {};
    failed_ = {};
    shared_ = std::move(table);
  }
  /// Whether there was no room for all.
  [[nodiscard]] bool was_full() const { return shared_ != nullptr && shared_->was_full(); }

  [[nodiscard]] std::size_t bytes() const {
    return passed_.bytes() + failed_.bytes() + raced_.bytes() + (shared_ != nullptr ? shared_->bytes() : 0);
  }

 private:
  /// In the table for both: a class of which one execution passed and another failed is there twice.
  static runtime::ClassHash of_failed(const runtime::ClassHash& hash) {
    return {hash.low ^ 0x9e3779b97f4a7c15U, hash.high};
  }

  ClassSet passed_;
  ClassSet failed_;
  ClassSet raced_;
  std::shared_ptr<SharedStates> shared_;
};

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
