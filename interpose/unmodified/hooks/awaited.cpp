#include "awaited.hpp"

#include "../../../runtime/execution/recording.hpp"
#include "../../../runtime/execution/step.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../shadow/cells.hpp"
#include "atomic_regions.hpp"

namespace hocket::unmodified {

namespace {

using runtime::is_sabotaged;
using runtime::Looks;
using runtime::run;
using runtime::Sabotage;
using runtime::Thread;

constexpr unsigned kBitsInByte = 8;

/// The bytes at `from` as they lie in the word at `to`.
std::uint64_t moved(std::uint64_t bytes, std::uintptr_t from, std::uintptr_t to) {
  return from >= to ? bytes << (from - to) * kBitsInByte : bytes >> (to - from) * kBitsInByte;
}

}  // namespace

bool Awaited::add(const Looks::Look& look) {
  switch (look.kind) {
    case Looks::Kind::look:
      if (look.object == nullptr) return true;
      return look.is_shared ? add_memory(*look.object, look.found) : add_state(*look.object, look.found);
    case Looks::Kind::lock:
    case Looks::Kind::lock_shared:
      return add_section(look);
    case Looks::Kind::unlock:
      if (!holds(look.object)) return false;  // the section began before the round
      held_.erase(std::find(held_.begin(), held_.end(), look.object));
      sections_of(look.object)->state += look.sections;
      return true;
  }
  return false;
}

bool Awaited::add_state(const runtime::Object& object, std::uint64_t state, std::uint64_t bits) {
  const Thread::Read* const read =
      find(&object, [bits](const Thread::Read& one) { return !one.is_of_sections && one.bits == bits; });
  if (read != nullptr) return !read->differs_from(state);
  reads_.push_back({&object, object.version, false, state, bits});
  return true;
}

bool Awaited::add_section(const Looks::Look& look) {
  constexpr std::uint64_t kFree = 0;
  const bool is_inner =
      !held_.empty() && !holds(look.object) && !is_sabotaged(Sabotage::polls_await_held_locks);
  const bool may_be_shared =
      look.kind == Looks::Kind::lock_shared && !is_sabotaged(Sabotage::shared_locks_must_be_free);
  if (is_inner && !add_state(*look.object, kFree, may_be_shared ? runtime::kBitsOfHeldAlone : kAllBits))
    return false;
  held_.push_back(look.object);
  if (sections_of(look.object) == nullptr)
    reads_.push_back({look.object, look.object->version, true, look.sections});
  return true;
}

bool Awaited::add_memory(const runtime::Object& object, std::uint64_t found) {
  const Cell* const cell = as_cell(object);
  if (cell == nullptr || cell->size > sizeof found) return false;  // then it is no more than a hash
  if (is_sabotaged(Sabotage::overlaps_are_not_awaited)) return add_state(object, found);
  bool can_be_awaited = true;
  for_each_part_of(*cell, [&](MemoryPart& part) {
    const std::uint64_t bits = cell->bits_in(part.address);
    if (bits == 0) return;
    if (run.recording) runtime::recording::name(part, runtime::describe(object));
    can_be_awaited &= add_state(part, moved(found, cell->address, part.address), bits);
  });
  return can_be_awaited;
}

}  // namespace hocket::unmodified
