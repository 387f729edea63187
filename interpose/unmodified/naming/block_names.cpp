#include "block_names.hpp"

#include <map>
#include <vector>

#include "../../../runtime/platform/symbols/call_site.hpp"
#include "../../../runtime/platform/symbols/debug_info.hpp"

namespace hocket::unmodified {

namespace {

constexpr std::size_t kMostFrames = 40;  // the standard library's are many where nothing is inlined

struct Blocks {
  std::map<std::uintptr_t, std::vector<std::uintptr_t>> stacks;
  std::map<std::string, std::map<std::uintptr_t, std::size_t>> numbers;  ///< by what they are and where made
};

Blocks& blocks() {
  static auto* const all = new Blocks;
  return *all;
}

}  // namespace

void note_block(std::uintptr_t begin) {
  blocks().stacks[begin] = runtime::platform::calling_stack(kMostFrames);
}

std::string name_in_block(std::uintptr_t begin, std::size_t size, std::size_t offset) {
  const auto stack = blocks().stacks.find(begin);
  if (stack == blocks().stacks.end()) return {};
  const std::string answer = runtime::platform::name_on_heap(offset, size, stack->second);
  const std::size_t tab = answer.find('\t');
  if (tab == std::string::npos) return {};
  std::string block = answer.substr(tab + 1);
  std::map<std::uintptr_t, std::size_t>& alike = blocks().numbers[block];
  const std::size_t number = alike.emplace(begin, alike.size() + 1).first->second;
  if (number != 1) block += " #" + std::to_string(number);
  return tab == 0 ? block : answer.substr(0, tab) + " of " + block;
}

void forget_blocks() {
  blocks().stacks.clear();
  blocks().numbers.clear();
}

}  // namespace hocket::unmodified
