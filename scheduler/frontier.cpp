#include <hocket/scheduler/frontier.hpp>

#include <algorithm>

namespace hocket {

void Frontier::deviations(const Pending& item, std::vector<Deviation>& out) const {
  out.clear();
  out.push_back(item.unpacked());
  for (Parent parent = item.parent; parent != kRoot; parent = nodes_[parent - 1].parent) {
    const std::uint32_t packed = nodes_[parent - 1].deviation;
    out.push_back({packed >> kCodeBits, packed & (runtime::kCodeLimit - 1)});
  }
  std::reverse(out.begin(), out.end());
}

Frontier::Parent Frontier::adopt(const Pending& item, std::uint32_t children) {
  if (children == 0) {
    release(item.parent);
    return kRoot;
  }
  Parent place = free_;
  if (place == kRoot) {
    nodes_.push_back({});
    place = static_cast<Parent>(nodes_.size());
  } else {
    free_ = nodes_[place - 1].parent;
  }
  nodes_[place - 1] = {item.parent, item.deviation, children};
  return place;
}

void Frontier::release(Parent parent) {
  while (parent != kRoot) {
    Node& node = nodes_[parent - 1];
    assert(node.children != 0);
    if (--node.children != 0) return;
    const Parent next = node.parent;
    node.parent = free_;
    free_ = parent;
    parent = next;
  }
}

}  // namespace hocket
