// The stack of a depth-first search through the product of a model and what else a search remembers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hocket::model {

/// A step to another node of the product.
template <class Node>
struct ProductEdge {
  Node node;
  std::uint32_t choice;  ///< the number of the model's step
};

/// A node on the stack. Its edges are those from `begin` to `end` in a common array.
template <class Node>
struct ProductFrame {
  Node node;
  std::uint32_t choice;  ///< by which it was reached
  std::size_t begin;
  std::size_t next;  ///< the edge that is followed next
  std::size_t end;
};

}  // namespace hocket::model
