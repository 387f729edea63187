#include "thread_table.hpp"

#include <cassert>

namespace hocket::runtime {

bool named_before(const Thread& a, const Thread& b) {
  assert(&a == &b || a.key != b.key);  // names are unique
  const auto depth = [](const Thread* t) {
    unsigned n = 0;
    while ((t = t->creator) != nullptr) ++n;
    return n;
  };
  const unsigned depth_a = depth(&a);
  const unsigned depth_b = depth(&b);
  const Thread* x = &a;
  const Thread* y = &b;
  for (unsigned n = depth_a; n > depth_b; --n) x = x->creator;
  for (unsigned n = depth_b; n > depth_a; --n) y = y->creator;
  if (x == y) return depth_a < depth_b;
  while (x->creator != y->creator) {
    x = x->creator;
    y = y->creator;
  }
  return x->ordinal < y->ordinal;
}

unsigned ThreadTable::least_named(const ThreadSet& set) const {
  assert(!set.empty());
  if (names_in_order_ && set.low_word() != 0) return static_cast<unsigned>(std::countr_zero(set.low_word()));
  unsigned least = kMaxThreads;
  set.for_each([&](unsigned t) {
    if (least == kMaxThreads || (!names_in_order_ && named_before(*run.threads[t], *run.threads[least])))
      least = t;
  });
  return least;
}

}  // namespace hocket::runtime
