// What has been stored in atomics, so that loads may read older values than the newest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../objects/object.hpp"
#include "../races/released.hpp"
#include "../terms/vector_clock.hpp"
#include "../threads/thread.hpp"

namespace hocket::runtime {

/// The largest atomic, in bytes, of which more than the newest value is kept.
inline constexpr std::size_t kMostStoreBytes = 16;

/// A value that an atomic has had, and what is known of it.
struct Store {
  std::array<std::byte, kMostStoreBytes> value;
  std::uint64_t name;      ///< the same in all executions of a happens-before class
  Released released;       ///< what comes with the value
  VectorClock first_read;  ///< for each thread, its time when it first read the value; 0: it has not
  std::uint32_t time;      ///< of the thread that made the store, then
  std::uint16_t thread;    ///< its index
  bool is_known_to_all;    ///< the value with which a history begins; no thread has stored it
  bool is_taken;           ///< a read-modify-write has read it, so nothing can be stored right behind it
  std::uint32_t place;     ///< in the history
  std::uint32_t step;      ///< of a recorded execution: the step that made it, counted from 1; 0: none
  std::uint32_t event;     ///< 1 + its number among the events of its thread in SeqCstOrder, or 0
};

/// The stores to one atomic in modification order, the oldest first.
class StoreHistory {
 public:
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(stores_.size()); }
  [[nodiscard]] Store& operator[](std::uint32_t place) const { return *stores_[place]; }
  [[nodiscard]] Store& newest() const { return *stores_.back(); }

  /// The place of the oldest store that a thread which knows `known` may still read: the last one that
  /// happens before its next action, or that an action which does has read. Nothing can be stored before it.
  [[nodiscard]] std::uint32_t floor(const VectorClock& known, unsigned threads) const;

 private:
  friend class StoreHistories;
  std::vector<Store*> stores_;
};

/// The histories of all atomics in an execution. All memory is kept from one execution to the next.
class StoreHistories {
 public:
  /// Begins a new execution.
  void begin();

  /// The history of `object`, an atomic with `size` bytes at `value`. It begins anew when the object is new
  /// in this execution, and when something else than an atomic operation has changed those bytes.
  /// `Object::clocks` must not be 0.
  StoreHistory& of(const Object& object, const void* value, std::size_t size);

  /// A plain access has written the object, perhaps the value that it already had. From now on an atomic read
  /// of that value does not synchronize with the store that had written it before.
  void overwritten(const Object& object);

  /// How many threads have begun or ceased to wait for a notification of `object`, or sent one, before.
  std::uint32_t next_in_queue(const Object& object);

  /// Adds a store right behind the one at `place`. The caller fills in the rest of it.
  Store& add(StoreHistory& history, std::uint32_t place, const void* value, std::size_t size);

 private:
  struct Kept {
    StoreHistory history;
    std::uint32_t begun = 0;  ///< how often, in this execution
    std::uint32_t queue = 0;
  };
  Kept& kept(const Object& object);
  Store& new_store(const void* value, std::size_t size);

  std::vector<std::unique_ptr<Kept>> histories_;  ///< by Object::clocks
  std::vector<std::unique_ptr<Store>> stores_;    ///< the first `used_` are in use
  std::size_t used_ = 0;
  std::size_t in_use_ = 0;  ///< histories that this execution may have begun
};

}  // namespace hocket::runtime
