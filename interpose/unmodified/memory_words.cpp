#include <hocket/interpose/unmodified/memory_words.hpp>

#include <hocket/interpose/unmodified/address_map.hpp>
#include <hocket/interpose/unmodified/place.hpp>
#include <hocket/runtime/allocations.hpp>

namespace hocket::unmodified {

namespace {

using runtime::execution;
using runtime::Object;

constexpr std::uint64_t kMark = 0x776f7264U;  ///< tells a word from a cell at the same address

struct Word : Object {
  explicit Word(std::uintptr_t the_address);
  std::uintptr_t address;
};

std::uint64_t bytes_of(const Object& word) {
  return *reinterpret_cast<const std::uint64_t*>(static_cast<const Word&>(word).address);
}

constexpr runtime::ObjectKind kWordKind{"memory", [](const Object&) -> void* { return nullptr; },
    [](Object&, const void*) {}, [](void*) {}, &bytes_of};

Word::Word(std::uintptr_t the_address)
    : Object(kWordKind, runtime::FoundAt{runtime::mix(key_of(the_address), kMark)}), address(the_address) {}

struct Words {
  AddressMap<Object*> by_number;  ///< address over kWord
  Pool<Word> made;
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
  Object& made = words().made.make(number * kWord);
  words().by_number.insert(number) = &made;
  if (execution.recording) execution.name(made, name_of("memory", number * kWord));
  return made;
}

void forget_words() {
  words().by_number.clear();
  words().made.clear();
}

void TouchesWords::add(std::uintptr_t address, std::size_t size) {
  const runtime::OwnMemory own;
  for (std::uintptr_t number = address / kWord; number * kWord < address + size; ++number)
    execution.current->parts_touched.push_back(&word_at(number * kWord));
}

}  // namespace hocket::unmodified
