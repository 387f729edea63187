#include "memory_words.hpp"

#include "../../../runtime/diagnosis/trace.hpp"
#include "../../../runtime/execution/allocations.hpp"
#include "../hooks/memory_parts.hpp"
#include "../memory/address_map.hpp"
#include "../naming/address_names.hpp"

namespace hocket::unmodified {

namespace {

using runtime::Object;
using runtime::run;

constexpr std::uint64_t kMark = 0x776f7264U;  ///< distinguishes a word from a cell at the same address

struct Words {
  AddressMap<Object*> by_number;  ///< the key is address / kWord
  Pool<MemoryPart> made;
};

Words& words() {
  static auto* const all = new Words;
  return *all;
}

}  // namespace

Object& word_at(std::uintptr_t address) {
  const std::uintptr_t number = address / kWord;
  if (Object** const known = words().by_number.find(number); known != nullptr) return **known;
  const runtime::OwnMemory own;
  Object& made = words().made.make(
      number * kWord, static_cast<std::uint32_t>(kWord), runtime::mix(key_of(number * kWord), kMark));
  words().by_number.insert(number) = &made;
  if (run.recording)
    run.trace()->object_found(made, number * kWord, 0, name_of_found("memory", number * kWord));
  return made;
}

void forget_words() {
  words().by_number.clear();
  words().made.clear();
}

void TouchesWords::add(std::uintptr_t address, std::size_t size) {
  const runtime::OwnMemory own;
  for (std::uintptr_t number = address / kWord; number * kWord < address + size; ++number)
    run.current->instrumented.parts_touched.push_back(&word_at(number * kWord));
}

}  // namespace hocket::unmodified
