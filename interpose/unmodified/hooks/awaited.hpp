// What a loop that polls waits for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../../runtime/threads/looks.hpp"
#include "../../../runtime/threads/thread.hpp"

namespace hocket::unmodified {

/// Collects what a round depends on, for Thread::awaited.
class Awaited {
 public:
  explicit Awaited(std::vector<runtime::Thread::Read>& reads) : reads_(reads) { reads_.clear(); }

  /// Adds a look of the round. Returns whether the thread can wait for a change of it.
  bool add(const runtime::Looks::Look& look);
  [[nodiscard]] bool is_complete() const { return held_.empty() && !reads_.empty(); }

 private:
  [[nodiscard]] bool holds(const runtime::Object* lock) const {
    return std::find(held_.begin(), held_.end(), lock) != held_.end();
  }
  template <class Predicate>
  runtime::Thread::Read* find(const runtime::Object* object, Predicate&& is_it) {
    const auto at = std::find_if(reads_.begin(), reads_.end(),
        [&](const runtime::Thread::Read& read) { return read.object == object && is_it(read); });
    return at != reads_.end() ? &*at : nullptr;
  }
  runtime::Thread::Read* sections_of(const runtime::Object* lock) {
    return find(lock, [](const runtime::Thread::Read& read) { return read.is_of_sections; });
  }
  /// Those of its bits that are in `bits` count.
  bool add_state(const runtime::Object& object, std::uint64_t state, std::uint64_t bits = kAllBits);
  /// Where a round takes a lock while it holds another one, it would wait there as long as it cannot have the
  /// inner one.
  bool add_section(const runtime::Looks::Look& look);
  /// `object`, in which the round has `found` that state, consists of bytes of memory that belong to other
  /// objects, too. Operations on those are known by the pieces of memory that they touch.
  bool add_memory(const runtime::Object& object, std::uint64_t found);

  static constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

  std::vector<runtime::Thread::Read>& reads_;
  std::vector<const runtime::Object*> held_;
};

}  // namespace hocket::unmodified
