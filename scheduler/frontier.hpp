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

#include <hocket/runtime/choice.hpp>

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

  /// Pending executions of one price, last in first out, in blocks so that growing copies nothing.
  class Stack {
   public:
    void push(const Pending& item) {
      if (used_ == kBlock || blocks_.empty()) grow();
      blocks_.back()[used_++] = item;
    }
    Pending pop() {
      const Pending item = blocks_.back()[--used_];
      if (used_ == 0) shrink();
      return item;
    }
    [[nodiscard]] bool empty() const { return blocks_.empty(); }
    [[nodiscard]] std::uint64_t size() const {
      return blocks_.empty() ? 0 : (blocks_.size() - 1) * std::uint64_t{kBlock} + used_;
    }
    [[nodiscard]] std::size_t bytes() const {
      return (blocks_.size() + (spare_ ? 1U : 0U)) * kBlock * sizeof(Pending) +
             blocks_.capacity() * sizeof(void*);
    }

   private:
    static constexpr std::uint32_t kBlock = 256;
    void grow() {
      blocks_.push_back(spare_ ? std::move(spare_) : std::make_unique_for_overwrite<Pending[]>(kBlock));
      used_ = 0;
    }
    void shrink() {
      spare_ = std::move(blocks_.back());
      blocks_.pop_back();
      used_ = kBlock;
    }

    std::vector<std::unique_ptr<Pending[]>> blocks_;
    std::unique_ptr<Pending[]>
        spare_;  ///< so that a stack that goes up and down at a block's edge allocates nothing
    std::uint32_t used_ = 0;
  };

  /// The deviations of `item`, first to last, into `out`.
  void deviations(const Pending& item, std::vector<Deviation>& out) const;

  /// The execution of `item`, popped before, becomes a parent: of `children` items, pushed with the parent
  /// returned. With no children it, and what only it needed, is forgotten.
  Parent adopt(const Pending& item, std::uint32_t children);

  [[nodiscard]] std::size_t bytes() const { return blocks_.size() * (kBlock * sizeof(Node) + sizeof(void*)); }

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

  static constexpr Parent kBlock = 1024;
  [[nodiscard]] Node& node(Parent parent) { return blocks_[(parent - 1) / kBlock][(parent - 1) % kBlock]; }
  [[nodiscard]] const Node& node(Parent parent) const {
    return blocks_[(parent - 1) / kBlock][(parent - 1) % kBlock];
  }

  std::vector<std::unique_ptr<Node[]>> blocks_;
  Parent used_ = 0;      ///< nodes ever used
  Parent free_ = kRoot;  ///< the first of those that are free again
};

}  // namespace hocket
