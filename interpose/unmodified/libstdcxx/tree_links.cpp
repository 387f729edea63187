// The links of std::map, std::set, std::multimap and std::multiset. These are red-black trees, which
// libstdc++ balances and walks in its own object code.
//
// Which nodes a change rebalances depends on the whole tree. Recorded is what every change touches or may
// touch: the node, its neighbours, and the header, where each search begins. Changing a tree concurrently
// with any other use of it is undefined behaviour, so this never reports a false race. Values are stored
// outside the links.
#include <map>

#include "library_call.hpp"

namespace {

using hocket::unmodified::LibraryCall;
using Node = std::_Rb_tree_node_base;

void changes(const LibraryCall& call, const Node* node) {
  if (node == nullptr) return;
  call.writes(&node->_M_color, sizeof node->_M_color);
  call.writes(&node->_M_parent, sizeof node->_M_parent);
  call.writes(&node->_M_left, sizeof node->_M_left);
  call.writes(&node->_M_right, sizeof node->_M_right);
}

void inserts(const LibraryCall& call, const Node* node, const Node* parent, const Node* header) {
  changes(call, node);
  if (parent != header) changes(call, parent);
  changes(call, header);
}

void erases(const LibraryCall& call, const Node* node, const Node* header) {
  changes(call, node);
  if (node->_M_parent != header) changes(call, node->_M_parent);
  changes(call, node->_M_left);
  changes(call, node->_M_right);
  changes(call, header);
}

using Link = Node* Node::*;

const Node* follow(const LibraryCall& call, const Node* node, Link link) {
  call.reads(&(node->*link), sizeof(node->*link));
  return node->*link;
}

// Walks to the next node in order if `onward` is _M_right and `back` is _M_left, and to the previous node if
// they are swapped. The way leads down if there is a child, otherwise up to the first node that is reached
// from its other side.
void walks(const LibraryCall& call, const Node* node, Link onward, Link back) {
  const Node* next = follow(call, node, onward);
  if (next != nullptr) {
    while (next != nullptr) next = follow(call, next, back);
    return;
  }
  next = follow(call, node, &Node::_M_parent);
  while (follow(call, next, onward) == node) {
    node = next;
    next = follow(call, node, &Node::_M_parent);
  }
}

// The header comes before the first node and after the last. From the header, the way leads directly to the
// last node.
bool is_header(const LibraryCall& call, const Node* node) {
  call.reads(&node->_M_color, sizeof node->_M_color);
  if (node->_M_color != std::_S_red) return false;
  const Node* const parent = follow(call, node, &Node::_M_parent);
  return follow(call, parent, &Node::_M_parent) == node;
}

void increments(const LibraryCall& call, const Node* node) {
  walks(call, node, &Node::_M_right, &Node::_M_left);
}

void decrements(const LibraryCall& call, const Node* node) {
  if (is_header(call, node)) {
    follow(call, node, &Node::_M_right);
  } else {
    walks(call, node, &Node::_M_left, &Node::_M_right);
  }
}

}  // namespace

// Functions, by their mangled names.
#define HOCKET_WRAPPED_TREE(symbol, result, parameters, real, accesses) \
  result __wrap_##symbol parameters {                                   \
    if (hocket::unmodified::is_from_body()) {                           \
      const LibraryCall call{__builtin_return_address(0)};              \
      accesses;                                                         \
    }                                                                   \
    return real;                                                        \
  }

extern "C" {

HOCKET_WRAPPED_TREE(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_, void,
    (bool is_left, Node* node, Node* parent, Node* header),
    std::_Rb_tree_insert_and_rebalance(is_left, node, parent, *header), inserts(call, node, parent, header))
HOCKET_WRAPPED_TREE(_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_, Node*,
    (Node * node, Node* header), std::_Rb_tree_rebalance_for_erase(node, *header), erases(call, node, header))
HOCKET_WRAPPED_TREE(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, Node*, (Node * node),
    std::_Rb_tree_increment(node), increments(call, node))
HOCKET_WRAPPED_TREE(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, const Node*, (const Node* node),
    std::_Rb_tree_increment(node), increments(call, node))
HOCKET_WRAPPED_TREE(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, Node*, (Node * node),
    std::_Rb_tree_decrement(node), decrements(call, node))
HOCKET_WRAPPED_TREE(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, const Node*, (const Node* node),
    std::_Rb_tree_decrement(node), decrements(call, node))

}  // extern "C"
