#include "outer_names.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/platform/symbols/data_symbols.hpp"
#include "../memory/outer_heap.hpp"
#include "../restore/snapshot.hpp"

namespace hocket::unmodified {

namespace {

/// The names of all blocks that are reachable from a variable of the program by a chain of pointers.
class Owners {
 public:
  Owners() {
    for (const SavedData& data : saved_data()) {
      for (std::size_t at = -data.address % sizeof(std::uint64_t);
           at + sizeof(std::uint64_t) <= data.bytes.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, data.bytes.data() + at, sizeof word);
        if (OuterHeap::contains(word)) found(word, variable_at(data.address + at));
      }
    }
    // The search is breadth-first, so the shortest chain determines the name.
    for (; !to_visit_.empty(); to_visit_.pop_front()) {
      const OuterHeap::Block& block = to_visit_.front();
      const std::string& variable = variables_[block.address];
      for (std::size_t at = 0; at + sizeof(std::uint64_t) <= block.size; at += sizeof(std::uint64_t)) {
        const std::uint64_t word = word_before(block.address + at);
        if (OuterHeap::contains(word)) found(word, variable);
      }
    }
  }

  [[nodiscard]] std::string name_of(std::uintptr_t block) const {
    const auto found = names_.find(block);
    return found != names_.end() ? found->second : std::string{};
  }

 private:
  static std::uint64_t word_before(std::uintptr_t address) {
    std::uint64_t word = 0;
    std::memcpy(&word, &outer_pages().saved()[address - OuterHeap::kBegin], sizeof word);
    return word;
  }

  // Strips the offset: "table+16" becomes "table".
  static std::string variable_at(std::uintptr_t address) {
    std::string symbol = runtime::platform::data_symbol_at(address);
    const std::size_t end = symbol.find_last_not_of("0123456789");
    if (end != std::string::npos && end + 1 < symbol.size() && symbol[end] == '+') symbol.resize(end);
    return symbol;
  }

  void found(std::uintptr_t address, const std::string& variable) {
    const OuterHeap::Block block = outer_heap().find(address);
    if (block.address == 0 || variable.empty()) return;
    if (!variables_.emplace(block.address, variable).second) return;
    names_[block.address] = "block " + std::to_string(++counts_[variable]) + " of " + variable;
    to_visit_.push_back(block);
  }

  std::deque<OuterHeap::Block> to_visit_;
  std::unordered_map<std::uintptr_t, std::string> variables_;  ///< the variable that leads to each block
  std::unordered_map<std::uintptr_t, std::string> names_;
  std::map<std::string, unsigned> counts_;  ///< the number of blocks for each variable
};

std::unique_ptr<Owners>& owners() {
  static auto* const only = new std::unique_ptr<Owners>;
  return *only;
}

}  // namespace

std::string name_of_outer_block(std::uintptr_t block) {
  const runtime::OwnMemory own;
  if (owners() == nullptr) owners() = std::make_unique<Owners>();
  return owners()->name_of(block);
}

void forget_outer_names() {
  owners().reset();
}

}  // namespace hocket::unmodified
