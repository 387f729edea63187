#include "weaker_orders.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "../diagnosis/source_text.hpp"
#include "../execution/allocations.hpp"
#include "../execution/step.hpp"
#include "../platform/symbols/call_site.hpp"
#include "../platform/symbols/data_symbols.hpp"
#include "../platform/symbols/user_code.hpp"
#include "../terms/action_hash.hpp"
#include "../threads/host.hpp"

namespace hocket::runtime {

namespace {

/// More than any reader wants. Recursive callers of the standard library could produce any number.
constexpr std::size_t kMostNoted = 4096;
/// The maximum number of frames between an atomic operation of the standard library and the user's code.
constexpr std::size_t kMostFrames = 24;

/// The failure order of a compare-exchange that was given only one order.
std::memory_order usual_on_failure(std::memory_order order) {
  if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
  return order == std::memory_order_release ? std::memory_order_relaxed : order;
}

std::string in_words(const AskedOrder& asked) {
  std::string text(order_name(asked.order));
  const bool says_more = asked.operation == Operation::atomic_compare_exchange &&
                         asked.on_failure != usual_on_failure(asked.order);
  if (says_more) text.append(", ").append(order_name(asked.on_failure)).append(" on failure");
  return text;
}

/// The global variable that begins at this address; empty if there is none.
std::string variable_at(std::uintptr_t memory) {
  const std::string symbol = memory != 0 ? platform::data_symbol_at(memory) : std::string{};
  const bool is_part_of_it = symbol.find('+') != std::string::npos;
  return is_part_of_it ? std::string{} : symbol;
}

/// "flag.load" where to_string() has "atomic.load".
std::string in_words(const AskedOrder& asked, const std::string& name) {
  if (asked.operation == Operation::none) return "fence";
  const std::string_view operation = to_string(asked.operation);
  return name.empty() ? std::string(operation) : name + std::string(operation.substr(operation.find('.')));
}

}  // namespace

std::string_view order_name(std::memory_order order) {
  constexpr std::array<std::string_view, 6> kNames{
      "relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
  return kNames.at(static_cast<std::size_t>(order));
}

void WeakerOrders::clear() {
  noted_.clear();
  by_call_.clear();
  names_.clear();
  is_full_ = false;
}

// An object from outside the body may not have been accessed yet, and then has no key.
void WeakerOrders::name(const Object& object, std::string_view name) {
  const OwnMemory own;
  names_[object.life == run.life ? object.key : reinterpret_cast<std::uintptr_t>(&object)] = name;
}

void WeakerOrders::name_memory(const void* memory, std::string_view name) {
  const OwnMemory own;
  names_[reinterpret_cast<std::uintptr_t>(memory)] = name;
}

std::string WeakerOrders::name_given_to(const Object& object, std::uintptr_t memory) const {
  auto known = names_.find(object.key);
  if (known == names_.end()) known = names_.find(reinterpret_cast<std::uintptr_t>(&object));
  if (known == names_.end()) known = names_.find(memory);
  return known != names_.end() ? known->second : std::string{};
}

void WeakerOrders::note(
    const AskedOrder& asked, std::uint64_t key, Where where, const void* code, const Object* object) {
  Noted noted{asked, where, code, {}, 0, {}, object == nullptr || object->kind->keeps_stores};
  if (object != nullptr && run.host != nullptr) noted.memory = run.host->memory.address_of(*object);
  if (where.line() == 0 || !platform::holds_user_code(where.file_name())) {
    noted.stack = platform::calling_stack(kMostFrames);
    for (const std::uintptr_t address : noted.stack) key = mix(key, address);
  }
  const auto known = by_call_.find(key);
  if (known == by_call_.end() && noted_.size() == kMostNoted) {
    is_full_ = true;
    return;
  }
  if (object != nullptr) noted.name = name_given_to(*object, noted.memory);
  if (known != by_call_.end()) {
    std::string& name = noted_[known->second].name;
    if (name.empty()) name = std::move(noted.name);
    return;
  }
  by_call_.emplace(key, noted_.size());
  noted_.push_back(std::move(noted));
}

WeakerOperations WeakerOrders::in_words(bool keeps_stores) const {
  WeakerOperations result;
  result.may_be_more = is_full_;
  for (const Noted& noted : noted_) {
    if (keeps_stores && noted.can_keep_stores) continue;
    const std::string name = noted.name.empty() ? variable_at(noted.memory) : noted.name;
    // The guard of a function-local static: the language asks for this operation, not the program.
    if (name.starts_with("guard variable for ")) continue;
    Where place = noted.where;
    if (!noted.stack.empty()) {
      place = platform::user_code_on(noted.stack);
      const bool is_the_users = noted.where.line() == 0 && platform::user_code_at(noted.code).line() != 0;
      if (!is_the_users) result.may_be_more = true;
    }
    WeakerOperation operation{
        runtime::in_words(noted.asked, name), place_of(place), runtime::in_words(noted.asked)};
    if (std::find(result.list.begin(), result.list.end(), operation) == result.list.end())
      result.list.push_back(std::move(operation));
  }
  return result;
}

}  // namespace hocket::runtime
