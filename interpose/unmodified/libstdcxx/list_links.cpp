// The links of std::list, which libstdc++ changes in its own object code.
#include <list>

#include "library_call.hpp"

namespace {

using hocket::unmodified::LibraryCall;
using Node = std::__detail::_List_node_base;

void changes_next(const LibraryCall& call, const Node* node) {
  call.writes(&node->_M_next, sizeof node->_M_next);
}
void changes_previous(const LibraryCall& call, const Node* node) {
  call.writes(&node->_M_prev, sizeof node->_M_prev);
}
void changes(const LibraryCall& call, const Node* node) {
  changes_next(call, node);
  changes_previous(call, node);
}

void hooks(const LibraryCall& call, const Node* self, const Node* position) {
  changes(call, self);
  changes_previous(call, position);
  changes_next(call, position->_M_prev);
}

void unhooks(const LibraryCall& call, const Node* self) {
  call.reads(self, sizeof *self);
  changes_previous(call, self->_M_next);
  changes_next(call, self->_M_prev);
}

// Moves the nodes from `first` to before `last`, inserting them before `self`.
void transfers(const LibraryCall& call, const Node* self, const Node* first, const Node* last) {
  if (self == last) return;
  changes_previous(call, self);
  changes_previous(call, first);
  changes_previous(call, last);
  changes_next(call, self->_M_prev);
  changes_next(call, first->_M_prev);
  changes_next(call, last->_M_prev);
}

void reverses(const LibraryCall& call, const Node* self) {
  const Node* node = self;
  do {
    changes(call, node);
    node = node->_M_next;
  } while (node != self);
}

// One of two list heads whose nodes are swapped.
void gives_away(const LibraryCall& call, const Node* self) {
  changes(call, self);
  changes_previous(call, self->_M_next);
  changes_next(call, self->_M_prev);
}

}  // namespace

// Member functions, by their mangled names. `self` is the object.
#define HOCKET_WRAPPED_MEMBER(symbol, parameters, real, accesses) \
  void __wrap_##symbol parameters {                               \
    if (hocket::unmodified::is_from_body()) {                     \
      const LibraryCall call{__builtin_return_address(0)};        \
      accesses;                                                   \
    }                                                             \
    real;                                                         \
  }

extern "C" {

HOCKET_WRAPPED_MEMBER(_ZNSt8__detail15_List_node_base7_M_hookEPS0_, (Node * self, Node* position),
    self->_M_hook(position), hooks(call, self, position))
HOCKET_WRAPPED_MEMBER(
    _ZNSt8__detail15_List_node_base9_M_unhookEv, (Node * self), self->_M_unhook(), unhooks(call, self))
HOCKET_WRAPPED_MEMBER(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_,
    (Node * self, Node* first, Node* last), self->_M_transfer(first, last),
    transfers(call, self, first, last))
HOCKET_WRAPPED_MEMBER(
    _ZNSt8__detail15_List_node_base10_M_reverseEv, (Node * self), self->_M_reverse(), reverses(call, self))
HOCKET_WRAPPED_MEMBER(
    _ZNSt8__detail15_List_node_base4swapERS0_S1_, (Node * one, Node* other), Node::swap(*one, *other), {
      gives_away(call, one);
      gives_away(call, other);
    })

}  // extern "C"
