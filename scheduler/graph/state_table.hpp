// What a reduction knows about the states it has met: one row of bytes per state, found by the state's hash.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "../../runtime/terms/action_hash.hpp"

namespace hocket {

/// A hash table with open addressing; the rows are stored in the table itself. A new row is zero apart from
/// its hash. Pointers to rows are valid until the next insertion.
class StateTable {
 public:
  struct Row {
    runtime::ClassHash hash;
    std::uint16_t check;  ///< Graph::check of the state, 0: not known yet
    std::uint8_t done;    ///< all classes reachable from the state below this bound have been run

    /// The cost of reaching the state, indexed by the number of the thread that came last; width() entries.
    /// They follow the other members in memory and begin in the padding.
    [[nodiscard]] std::uint8_t* costs() { return reinterpret_cast<std::uint8_t*>(this) + kCostsAt; }
    [[nodiscard]] const std::uint8_t* costs() const {
      return reinterpret_cast<const std::uint8_t*>(this) + kCostsAt;
    }
    static constexpr std::size_t kCostsAt = 19;
  };
  static_assert(sizeof(Row) == 24 && offsetof(Row, done) + 1 == Row::kCostsAt);

  StateTable() { allocate(kLeastRows); }

  /// The row of a state, or nullptr if the state has none.
  [[nodiscard]] Row* find(const runtime::ClassHash& hash) {
    for (std::size_t at = place(hash);; at = (at + 1) & (rows_ - 1)) {
      Row* row = row_at(at);
      if (is_free(*row)) return nullptr;
      if (row->hash == key_of(hash)) return row;
    }
  }

  /// Adds the row of a state that has none yet.
  Row* insert(const runtime::ClassHash& hash) {
    assert(find(hash) == nullptr);
    if (must_grow()) rebuild(rows_ * 2, stride_);
    std::size_t at = place(hash);
    while (!is_free(*row_at(at))) at = (at + 1) & (rows_ - 1);
    Row* row = row_at(at);
    row->hash = key_of(hash);
    ++used_;
    return row;
  }

  /// Calls `visit(row)` for each row. That of the empty class has the hash {1, 0}.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t at = 0; at < rows_; ++at) {
      if (!is_free(*row_at(at))) visit(std::as_const(*row_at(at)));
    }
  }

  /// Makes room for at least this many costs in every row.
  void widen(std::size_t width) {
    while (this->width() < width) rebuild(rows_, stride_ + 8);
  }
  [[nodiscard]] std::size_t width() const { return stride_ - Row::kCostsAt; }
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::size_t bytes() const { return rows_ * stride_; }
  /// The memory needed during the next insertion. While the table grows, the old one still exists.
  [[nodiscard]] std::size_t bytes_after_insert() const {
    return must_grow() ? rows_ * stride_ * 3 : rows_ * stride_;
  }

 private:
  static constexpr std::size_t kLeastRows = 64;

  static bool is_free(const Row& row) { return row.hash == runtime::ClassHash{}; }
  /// The hash of the empty class marks a free row, so that class is stored under another hash.
  static runtime::ClassHash key_of(const runtime::ClassHash& hash) {
    return hash == runtime::ClassHash{} ? runtime::ClassHash{1, 0} : hash;
  }
  [[nodiscard]] std::size_t place(const runtime::ClassHash& hash) const {
    return static_cast<std::size_t>(key_of(hash).low ^ key_of(hash).high >> 32U) & (rows_ - 1);
  }
  [[nodiscard]] Row* row_at(std::size_t at) const {
    return reinterpret_cast<Row*>(memory_.get() + at * stride_);
  }

  [[nodiscard]] bool must_grow() const { return (used_ + 1) * 10 > rows_ * 7; }

  void allocate(std::size_t rows) {
    rows_ = rows;
    memory_ = std::make_unique<std::byte[]>(rows_ * stride_);
  }

  void rebuild(std::size_t rows, std::size_t stride) {
    const std::unique_ptr<std::byte[]> old = std::move(memory_);
    const std::size_t old_rows = rows_;
    const std::size_t old_stride = stride_;
    stride_ = stride;
    allocate(rows);
    for (std::size_t n = 0; n < old_rows; ++n) {
      const Row* row = reinterpret_cast<const Row*>(old.get() + n * old_stride);
      if (is_free(*row)) continue;
      std::size_t at = place(row->hash);
      while (!is_free(*row_at(at))) at = (at + 1) & (rows_ - 1);
      std::memcpy(static_cast<void*>(row_at(at)), row, old_stride);
    }
  }

  std::unique_ptr<std::byte[]> memory_;
  std::size_t rows_ = 0;
  std::size_t stride_ = sizeof(Row);
  std::size_t used_ = 0;
};

}  // namespace hocket
