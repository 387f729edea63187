#include "block_names.hpp"

#include <map>
#include <string_view>
#include <vector>

#include "../../../runtime/diagnosis/failure_stacks.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/platform/symbols/call_site.hpp"
#include "../../../runtime/platform/symbols/debug_info.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;

using runtime::run;

constexpr std::size_t kMostFrames = 40;  // the standard library's are many where nothing is inlined

/// Where a block was allocated or freed.
struct Event {
  unsigned thread = 0;
  std::uint32_t step = 0;
  std::vector<std::uintptr_t> stack;
};

struct Blocks {
  std::map<std::uintptr_t, Event> made;  ///< by the beginning of the block
  std::map<std::uintptr_t, Event> freed;
  std::map<std::string, std::map<std::uintptr_t, std::size_t>> numbers;  ///< by what they are and where made
};

Blocks& blocks() {
  static auto* const all = new Blocks;
  return *all;
}

Event event_here() {
  return {run.current->index, run.position, runtime::platform::calling_stack(kMostFrames)};
}

}  // namespace

void note_block(std::uintptr_t begin) {
  blocks().made[begin] = event_here();
}

void note_free(std::uintptr_t begin) {
  blocks().freed[begin] = event_here();
}

void explain_by_stacks_of_block(std::uintptr_t begin) {
  const auto add = [begin](const std::map<std::uintptr_t, Event>& events, std::string_view what) {
    const auto found = events.find(begin);
    if (found == events.end()) return;
    const Event& event = found->second;
    runtime::explain_next_failure_by(
        {runtime::stack_title(what, event.thread, event.step, execution), event.stack}, execution);
  };
  add(blocks().freed, "release of the block");
  add(blocks().made, "allocation of the block");
}

NameInBlock name_in_block(std::uintptr_t begin, std::size_t size, std::size_t offset, runtime::Part part) {
  const auto made = blocks().made.find(begin);
  if (made == blocks().made.end()) return {};
  const std::string answer = runtime::remembered(begin + offset, part,
      runtime::platform::name_on_heap(offset, runtime::size_of(part), size, made->second.stack));
  const std::size_t tab = answer.find('\t');
  if (tab == std::string::npos) return {};
  std::string block = answer.substr(tab + 1);
  if (block.empty()) return {answer.substr(0, tab), true};
  const bool has_type = !block.starts_with("block (");
  std::map<std::uintptr_t, std::size_t>& alike = blocks().numbers[block];
  const std::size_t number = alike.emplace(begin, alike.size() + 1).first->second;
  if (number != 1) block += " #" + std::to_string(number);
  return {tab == 0 ? block : answer.substr(0, tab) + " of " + block, has_type};
}

void forget_blocks() {
  blocks().made.clear();
  blocks().freed.clear();
  blocks().numbers.clear();
}

}  // namespace hocket::unmodified
