#include "allocations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../diagnosis/end_checks.hpp"
#include "../diagnosis/failure_stacks.hpp"
#include "../diagnosis/source_text.hpp"
#include "../platform/static_storage.hpp"
#include "../platform/symbols/call_site.hpp"
#include "../threads/host.hpp"
#include "cold_state.hpp"

namespace hocket::runtime {

namespace {

class ObserverWithOwnMemory final : public Observer {
 public:
  explicit ObserverWithOwnMemory(Observer& observer) : observer_(observer) {}

  void begin(const Thread& first) override {
    pass_on([&] { observer_.begin(first); });
  }
  void created(const Thread& thread) override {
    pass_on([&] { observer_.created(thread); });
  }
  void started(const Thread& thread) override {
    pass_on([&] { observer_.started(thread); });
  }
  void joined(const Thread& thread, const Thread& target) override {
    pass_on([&] { observer_.joined(thread, target); });
  }
  void stopped(const Thread& thread, bool is_free) override {
    pass_on([&] { observer_.stopped(thread, is_free); });
  }
  void chose_thread(const Thread& thread, Mode mode) override {
    pass_on([&] { observer_.chose_thread(thread, mode); });
  }
  void met_values(
      const Thread& thread, Operation operation, std::uint32_t count, std::uint16_t price) override {
    pass_on([&] { observer_.met_values(thread, operation, count, price); });
  }
  void chose_value(const Thread& thread, std::uint32_t value) override {
    pass_on([&] { observer_.chose_value(thread, value); });
  }
  void chose_store(std::uint32_t newer, std::uint32_t most) override {
    pass_on([&] { observer_.chose_store(newer, most); });
  }
  void acted(const Object& object, Access access) override {
    pass_on([&] { observer_.acted(object, access); });
  }
  void over(bool is_cut_short) override {
    pass_on([&] { observer_.over(is_cut_short); });
  }
  void woke(const Thread& thread) override {
    pass_on([&] { observer_.woke(thread); });
  }
  void moved(const Thread& thread) override {
    pass_on([&] { observer_.moved(thread); });
  }

 private:
  template <class Event>
  static void pass_on(const Event& event) {
    const OwnMemory own;
    event();
  }

  Observer& observer_;
};

struct Block {
  std::uintptr_t begin;
  std::uintptr_t end;
  bool is_reachable = false;
};

/// Marks the blocks to which a word in [begin, end) points, and adds them to the list of blocks to scan.
__attribute__((no_sanitize("address"))) void mark(
    std::uintptr_t begin, std::uintptr_t end, std::vector<Block>& blocks, std::vector<Block*>& to_do) {
  constexpr std::uintptr_t kWord = sizeof(std::uintptr_t);
  for (begin = (begin + kWord - 1) / kWord * kWord; begin + kWord <= end; begin += kWord) {
    const std::uintptr_t word = *reinterpret_cast<const volatile std::uintptr_t*>(begin);
    if (word < blocks.front().begin || word >= blocks.back().end) continue;
    const auto after = std::upper_bound(blocks.begin(), blocks.end(), word,
        [](std::uintptr_t address, const Block& block) { return address < block.begin; });
    Block& block = *std::prev(after);
    if (word >= block.end || block.is_reachable) continue;
    block.is_reachable = true;
    to_do.push_back(&block);
  }
}

/// Where a block was allocated in an execution that is recorded.
struct Allocation {
  std::uint32_t step = 0;
  std::vector<std::uintptr_t> stack;
};

std::unordered_map<std::uintptr_t, Allocation>& recorded_allocations() {
  static auto* const all = new std::unordered_map<std::uintptr_t, Allocation>;
  return *all;
}

void explain_by_allocation(std::uintptr_t address, unsigned thread, Execution& e) {
  const auto found = recorded_allocations().find(address);
  if (found == recorded_allocations().end()) return;
  explain_next_failure_by({stack_title("allocation", thread, found->second.step, e), found->second.stack}, e);
}

}  // namespace

std::unique_ptr<Observer> with_own_memory(Observer& observer) {
  return std::make_unique<ObserverWithOwnMemory>(observer);
}

constinit AllocationCheck on_allocation_of_body = nullptr;

void note_allocated(std::uintptr_t address, std::size_t size, Where where) {
  Execution& e = execution;
  if (run.own_memory != 0 || run.ending || address == 0) return;
  if (on_allocation_of_body != nullptr) [[unlikely]]
    on_allocation_of_body();
  const OwnMemory own;
  ColdState& m = e.cold_state();
  const bool is_recorded = run.recording && !e.verdict.is_interrupted();  // see record_failure()
  m.counted.blocks[address] = {
      run.current->index, m.counted.made++, size, is_recorded ? platform::user_call_site(where) : where};
  if (is_recorded) recorded_allocations()[address] = {run.position, stack_to_show()};
}

void note_freed(std::uintptr_t address) {
  if (run.own_memory != 0) return;
  const OwnMemory own;
  execution.cold_state().counted.blocks.erase(address);
}

namespace {

using KnownBlocks = std::remove_reference_t<decltype(execution.cold_state().counted.blocks)>;

/// Leaves those blocks to which nothing leads from a static or, in instrumented code, another root. A block
/// that a static still points to, such as a cache that the first execution filled, is not a leak.
void forget_reachable(KnownBlocks& known) {
  std::vector<Block> blocks;
  blocks.reserve(known.size());
  for (const auto& [begin, made] : known) {
    blocks.push_back({begin, begin + std::max<std::uint64_t>(made.what, 1)});
  }
  std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.begin < b.begin; });
  std::vector<Block*> to_do;
  const auto mark_from = [&](std::uintptr_t begin, std::uintptr_t end) { mark(begin, end, blocks, to_do); };
  if (run.host != nullptr) {
    run.host->memory.for_each_root(mark_from);
  } else {
    mark_from(reinterpret_cast<std::uintptr_t>(&__data_start), reinterpret_cast<std::uintptr_t>(&_end));
  }
  while (!to_do.empty()) {
    const Block* block = to_do.back();
    to_do.pop_back();
    mark(block->begin, block->end, blocks, to_do);
  }
  for (const Block& block : blocks) {
    if (block.is_reachable) known.erase(block.begin);
  }
}

/// Blocks of one size that one thread has allocated in one place.
struct Group {
  std::uintptr_t address;  ///< of the block that was allocated first
  std::uint64_t first;
  std::size_t count;
  Where where;
  unsigned thread;
  std::uint64_t size;
};

/// In the order of their first allocations.
std::vector<Group> groups_of(const KnownBlocks& known) {
  std::map<std::tuple<std::string, unsigned, std::uint64_t>, Group> groups;
  for (const auto& [address, made] : known) {
    Group& group = groups
                       .try_emplace({place_of(made.where), made.thread, made.what},
                           Group{address, made.order, 0, made.where, made.thread, made.what})
                       .first->second;
    if (made.order < group.first) {
      group.first = made.order;
      group.address = address;
    }
    ++group.count;
  }
  std::vector<Group> in_order;
  for (const auto& [key, group] : groups) in_order.push_back(group);
  std::sort(
      in_order.begin(), in_order.end(), [](const Group& a, const Group& b) { return a.first < b.first; });
  return in_order;
}

}  // namespace

void end_checks::look_for_leaked_memory(Execution& e) {
  auto& known = e.cold_state().counted.blocks;
  if (known.empty()) return;
  forget_reachable(known);
  if (known.empty()) return;

  std::uint64_t signature = 0;
  for (const auto& [address, made] : known) signature += mix(e.thread(made.thread).key, made.what);
  const std::vector<Group> groups = groups_of(known);
  constexpr std::size_t kMostStacks = 8;
  for (std::size_t n = 0; run.recording && n < std::min(groups.size(), kMostStacks); ++n)
    explain_by_allocation(groups[n].address, groups[n].thread, e);
  recorded_allocations().clear();
  std::string message;
  for (const Group& group : groups) {
    const bool is_one = group.count == 1;
    message += message.empty() ? "leak: " : "\n";
    message += (is_one ? "a block" : std::to_string(group.count) + " blocks") + " of " +
               std::to_string(group.size) + " bytes allocated";
    message += at(group.where) + " by " + describe(e.thread(group.thread)) + (is_one ? " was" : " were") +
               " never freed";
  }
  e.verdict.note_failure(
      FailureKind::leak, message, groups.front().where, end_checks::signature_of_leak(signature));
}

}  // namespace hocket::runtime
