// The states that the jobs of a search have met, or the classes: a StateTable in memory that all of them
// share.
//
// A row is claimed by a compare-and-swap of the first half of its hash, and is readable when the second half
// is there. Which of two jobs claims a state, or reaches it first after some thread, makes no difference: one
// of them goes on from there, and the bound is only done when all have come to its end. When many rows are
// used, the table asks to grow, which somebody does while no job looks at it (see WorkSharing).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "../../runtime/terms/action_hash.hpp"
#include "../graph/recording.hpp"
#include "../graph/state_table.hpp"
#include "shared_memory.hpp"

namespace hocket {

class SharedStates {
 public:
  /// Begins with what one process has met. Throws std::system_error.
  SharedStates(const StateTable& known, const graph::ThreadNumbers& numbers, std::size_t memory_limit);
  /// Begins with nothing.
  explicit SharedStates(std::size_t memory_limit) : SharedStates({}, {}, memory_limit) {}

  /// Whether everything is known that follows a state which is reached at this price, plus one, when the
  /// thread with this key came last (0: whichever did). Otherwise it is from now on. All jobs search the same
  /// bound meanwhile.
  [[nodiscard]] bool covers(const runtime::ClassHash& state, std::uint64_t last, std::uint8_t reached);

  /// Returns whether nobody has inserted it before, and there was room for it.
  [[nodiscard]] bool insert(const runtime::ClassHash& hash);
  [[nodiscard]] bool contains(const runtime::ClassHash& hash) const;

  [[nodiscard]] bool asks_to_grow() const;
  /// No job may look at the table meanwhile.
  void grow();

  [[nodiscard]] bool was_full() const;
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Header;
  struct Row;
  static std::size_t first_rows(const StateTable& known);
  static std::size_t stride_for(std::size_t width);
  /// A table as large as the memory, of which this much is used.
  struct Table {
    std::byte* memory;
    std::size_t rows;
    std::size_t stride;
    [[nodiscard]] Row& row(std::size_t at) const { return *reinterpret_cast<Row*>(memory + at * stride); }
    [[nodiscard]] std::size_t width() const;
  };

  [[nodiscard]] Header& header() const;
  [[nodiscard]] Table table() const;
  [[nodiscard]] std::byte* region(unsigned number) const;
  /// Numbers that are the same in all jobs, as are those that the threads had before.
  [[nodiscard]] unsigned number(std::uint64_t key);
  void copy(const Table& to, const runtime::ClassHash& hash, std::uint8_t done, const std::uint8_t* costs,
      std::size_t width);
  void count_new();
  [[nodiscard]] bool has_room();
  void ask_for(unsigned number);
  /// The row of the state; nullptr: it had none, and has one now if there is room.
  [[nodiscard]] Row* find_or_claim(
      const Table& table, const runtime::ClassHash& key, unsigned number, std::uint8_t reached);

  std::size_t memory_limit_;
  std::size_t region_size_;
  SharedMemory memory_;
  std::unordered_map<std::uint64_t, unsigned> numbers_;  ///< those that this job knows
  unsigned known_ = 1;                                   ///< numbers that this job has seen
  unsigned uncounted_ = 0;                               ///< rows that it has claimed since it told how many
  bool has_room_ = true;                                 ///< when it last looked
};

}  // namespace hocket
