// The executions still to run, as deviations from the default schedule with shared parents.
//
// An execution is its parent's choices up to one position, another choice there, and the default from there
// on. So a pending one is three words: the parent, where and what, and a check of what the parent had done by
// then. The parent is kept as long as it has pending descendants. This is the frontier tree of Udupa, Desai
// and Rajamani (Depth Bounded Explicit-State Model Checking, 2011).
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
  /// An execution that was run and has pending descendants; kRoot: the one without deviations.
  using Parent = std::uint32_t;
  static constexpr Parent kRoot = 0;

  struct Pending {
    Parent parent;
    std::uint32_t deviation;  ///< position and code, packed
    std::uint32_t check;      ///< what LogEntry::check must say at the position

    [[nodiscard]] Deviation unpacked() const {
      return {deviation >> kCodeBits, deviation & (runtime::kCodeLimit - 1)};
    }
  };
  static_assert(sizeof(Pending) == 12);

  static std::uint32_t pack(std::uint32_t position, runtime::Code code) {
    return position << kCodeBits | code;
  }

  /// Pending executions of one price, last in first out, in blocks so that growing copies nothing. The first
  /// blocks are small, since there is a stack for every price; the largest are still below what malloc keeps
  /// at hand, so a stack that goes up and down at a block's edge costs little.
  class Stack {
   public:
    void push(const Pending& item) {
      if (used_ == room_) grow();
      blocks_.back()[used_++] = item;
      ++size_;
    }
    Pending pop() {
      const Pending item = blocks_.back()[--used_];
      --size_;
      if (used_ == 0) shrink();
      return item;
    }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::size_t bytes() const {
      return (size_ - used_ + room_) * sizeof(Pending) + blocks_.capacity() * sizeof(void*);
    }

   private:
    /// Items in the n-th block: at most an eighth of a large stack is room that is not used.
    static std::uint32_t room_of(std::size_t n) { return n < 8 ? 16 : n < 16 ? 32 : 64; }
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
    std::uint64_t size_ = 0;
    std::uint32_t used_ = 0;  ///< of the last block
    std::uint32_t room_ = 0;  ///< in the last block
  };

  /// The deviations of `item`, first to last, into `out`.
  void deviations(const Pending& item, std::vector<Deviation>& out) const;

  /// The execution of `item`, popped before, becomes a parent: of `children` items, pushed with the parent
  /// returned. With no children it, and what only it needed, is forgotten.
  Parent adopt(const Pending& item, std::uint32_t children);

  [[nodiscard]] std::size_t bytes() const {
    return blocks_.size() * kBlock * sizeof(Node) + blocks_.capacity() * sizeof(void*);
  }

 private:
  static constexpr unsigned kCodeBits = 12;
  static_assert(1U << kCodeBits == runtime::kCodeLimit);
  static_assert(runtime::kMaxPositions < 1U << (32 - kCodeBits));

  struct Node {
    Parent parent;  ///< or the next free node
    std::uint32_t deviation;
    std::uint32_t children;  ///< pending or adopted
  };

  void release(Parent parent);

  static constexpr Parent kBlock = 32;
  [[nodiscard]] Node& node(Parent parent) { return blocks_[(parent - 1) / kBlock][(parent - 1) % kBlock]; }
  [[nodiscard]] const Node& node(Parent parent) const {
    return blocks_[(parent - 1) / kBlock][(parent - 1) % kBlock];
  }

  std::vector<std::unique_ptr<Node[]>> blocks_;
  Parent used_ = 0;      ///< nodes ever used
  Parent free_ = kRoot;  ///< the first of those that are free again
};

}  // namespace hocket
