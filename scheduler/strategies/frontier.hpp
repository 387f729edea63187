// The frontier: the executions still to run, as deviations from the default schedule with shared parents.
//
// An execution makes its parent's choices up to one position, a different choice there, and default choices
// from there on. So a pending execution takes three words: the parent, the position with the choice, and a
// check of what the parent had done by then. The parent is kept as long as it has pending descendants. This
// is the frontier tree of Udupa, Desai and Rajamani (Depth Bounded Explicit-State Model Checking, 2011).
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../../runtime/terms/choice.hpp"

namespace hocket {

/// One choice that is not the default.
struct Deviation {
  std::uint32_t position;
  runtime::Code code;
};

class Frontier {
 public:
  /// An execution that was run and has pending descendants. kRoot is the execution without deviations.
  using Parent = std::uint32_t;
  static constexpr Parent kRoot = 0;

  struct Pending {
    Parent parent;
    std::uint32_t deviation;  ///< position and code, packed
    std::uint32_t check;      ///< the value that LogEntry::check must have at the position

    [[nodiscard]] Deviation unpacked() const { return Frontier::unpacked(deviation); }
  };
  static_assert(sizeof(Pending) == 12);

  static std::uint32_t pack(std::uint32_t position, runtime::Code code) {
    return position << kCodeBits | code;
  }
  static Deviation unpacked(std::uint32_t deviation) {
    return {deviation >> kCodeBits, deviation & (runtime::kCodeLimit - 1)};
  }

  /// A stack of pending executions of one price, in blocks so that growing copies nothing. The first blocks
  /// are small because there is a stack for every price. The largest blocks are small enough for malloc to
  /// cache them, so a stack that grows and shrinks at a block boundary costs little.
  class Stack {
   public:
    void push(const Pending& item) {
      if (used_ == room_) grow();
      blocks_.back()[used_++] = item;
      ++size_;
    }
    Pending pop() {
      assert(!empty() && used_ != 0);
      const Pending item = blocks_.back()[--used_];
      --size_;
      if (used_ == 0) shrink();
      return item;
    }
    /// The one that was pushed first of those that are left. The others keep its memory.
    Pending take_oldest() {
      assert(!empty());
      return oldest(taken_++);
    }
    [[nodiscard]] const Pending& oldest() const { return oldest(taken_); }
    [[nodiscard]] bool empty() const { return size_ == taken_; }
    [[nodiscard]] std::uint64_t size() const { return size_ - taken_; }
    [[nodiscard]] std::size_t bytes() const {
      return (size_ - used_ + room_) * sizeof(Pending) + blocks_.capacity() * sizeof(void*);
    }

   private:
    /// The capacity of the n-th block. At most an eighth of a large stack is unused.
    static std::uint32_t room_of(std::size_t n) { return n < 8 ? 16 : n < 16 ? 32 : 64; }
    [[nodiscard]] const Pending& oldest(std::uint64_t n) const;
    void grow() {
      room_ = room_of(blocks_.size());
      blocks_.push_back(std::make_unique_for_overwrite<Pending[]>(room_));
      used_ = 0;
    }
    void shrink() {
      blocks_.pop_back();
      used_ = room_ = blocks_.empty() ? 0 : room_of(blocks_.size() - 1);
    }

    std::vector<std::unique_ptr<Pending[]>> blocks_;
    std::uint64_t size_ = 0;  ///< with those that were taken from its beginning
    std::uint64_t taken_ = 0;
    std::uint32_t used_ = 0;  ///< items in the last block
    std::uint32_t room_ = 0;  ///< capacity of the last block
  };

  /// Stores the deviations of `item`, first to last, in `out`.
  void deviations(const Pending& item, std::vector<Deviation>& out) const;

  /// Makes the execution of `item`, which was popped before, the parent of `children` items. The caller
  /// pushes these with the parent that this returns. Without children the execution is released, together
  /// with the ancestors that only it needed.
  Parent adopt(const Pending& item, std::uint32_t children);

  [[nodiscard]] std::size_t bytes() const {
    return blocks_.size() * kBlock * sizeof(Node) + blocks_.capacity() * sizeof(void*);
  }

 private:
  static constexpr unsigned kCodeBits = 12;
  static_assert(1U << kCodeBits == runtime::kCodeLimit);
  static_assert(runtime::kMaxPositions < 1U << (32 - kCodeBits));

  struct Node {
    Parent parent;  ///< or the next node in the free list
    std::uint32_t deviation;
    std::uint32_t children;  ///< number of children, pending or adopted
  };

  void release(Parent parent);

  static constexpr Parent kBlock = 32;
  [[nodiscard]] Node& node(Parent parent) { return blocks_[(parent - 1) / kBlock][(parent - 1) % kBlock]; }
  [[nodiscard]] const Node& node(Parent parent) const {
    return blocks_[(parent - 1) / kBlock][(parent - 1) % kBlock];
  }

  std::vector<std::unique_ptr<Node[]>> blocks_;
  Parent used_ = 0;      ///< number of nodes ever used
  Parent free_ = kRoot;  ///< head of the free list
};

}  // namespace hocket
