// Which thread holds which locks, and since when, as a recorded execution knows it. Messages about deadlocks,
// misuse, data races and locks left behind use this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../objects/object.hpp"
#include "../terms/where.hpp"

namespace hocket::runtime {

class Execution;

/// A lock that a thread holds. Recursive and shared locks appear once for each time they were taken.
struct HeldLock {
  const Object* lock;
  unsigned thread;  ///< index
  bool is_shared;
  Where where;                          ///< where it was taken, in the user's code
  std::size_t step;                     ///< the step in which it was taken, from 1
  std::vector<std::uintptr_t> stack{};  ///< there
};

class HeldLocks {
 public:
  void clear() { all_.clear(); }
  void add(const HeldLock& holding) { all_.push_back(holding); }
  /// Removes the last entry for this lock and this thread.
  void remove(const Object& lock, unsigned thread);

  /// In the order in which they were taken.
  [[nodiscard]] const std::vector<HeldLock>& all() const { return all_; }
  /// The entry for `lock` and `thread`, or nullptr if the thread does not hold it.
  [[nodiscard]] const HeldLock* find(const Object& lock, unsigned thread) const;

 private:
  std::vector<HeldLock> all_;
};

/// "mutex 1 and cache (shared)", or "no mutex": what `thread` holds.
std::string mutexes_held_by(unsigned thread, Execution& e);

}  // namespace hocket::runtime
