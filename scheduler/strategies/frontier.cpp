#include "frontier.hpp"

#include <algorithm>

namespace hocket {

void Frontier::deviations(const Pending& item, std::vector<Deviation>& out) const {
  out.clear();
  out.push_back(item.unpacked());
  for (Parent parent = item.parent; parent != kRoot; parent = node(parent).parent) {
    assert(node(parent).children != 0);  // one that has no pending descendants is released
    out.push_back(unpacked(node(parent).deviation));
  }
  std::reverse(out.begin(), out.end());
  assert(std::is_sorted(out.begin(), out.end(),
      [](const Deviation& a, const Deviation& b) { return a.position < b.position; }));
}

const Frontier::Pending& Frontier::Stack::oldest(std::uint64_t n) const {
  std::size_t block = 0;
  while (n >= room_of(block) && room_of(block) != room_of(blocks_.size())) n -= room_of(block++);
  block += n / room_of(block);
  return blocks_[block][n % room_of(block)];
}

Frontier::Parent Frontier::adopt(const Pending& item, std::uint32_t children) {
  if (children == 0) {
    release(item.parent);
    return kRoot;
  }
  Parent place = free_;
  if (place == kRoot) {
    if (used_ % kBlock == 0) blocks_.push_back(std::make_unique_for_overwrite<Node[]>(kBlock));
    place = ++used_;
  } else {
    free_ = node(place).parent;
  }
  node(place) = {item.parent, item.deviation, children};
  return place;
}

void Frontier::release(Parent parent) {
  while (parent != kRoot) {
    Node& ended = node(parent);
    assert(ended.children != 0);
    if (--ended.children != 0) return;
    const Parent next = ended.parent;
    ended.parent = free_;
    free_ = parent;
    parent = next;
  }
}

}  // namespace hocket
