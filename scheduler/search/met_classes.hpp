// The classes that a search has met.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "../../runtime/terms/action_hash.hpp"
#include "../graph/class_set.hpp"
#include "../strategies/shared_states.hpp"

namespace hocket {

/// A set for the executions that passed and one for those that failed, or one table for both that jobs share.
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

}  // namespace hocket
