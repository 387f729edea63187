#include "plain_steps.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/recording.hpp"
#include "../../../runtime/execution/step.hpp"
#include "../naming/address_names.hpp"
#include "../shadow/cells.hpp"
#include "../shadow/hocket_objects.hpp"
#include "../shadow/memory_words.hpp"
#include "polling.hpp"

namespace hocket::unmodified {

namespace {

using runtime::Access;
using runtime::run;
namespace recording = runtime::recording;
using runtime::Operation;
using runtime::VarAccess;
using runtime::Where;

void step(runtime::Object& object, Operation operation, Access access) {
  if (runtime::step::arrive(object, operation, true, Where{})) runtime::step::act(object, operation, access);
}

std::uint64_t value_at(std::uintptr_t address, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), size);
  return value;
}

/// A step without a cell: only the words say what it touches.
void step_on_words(Access access) {
  std::vector<runtime::Object*>& words = run.current->instrumented.parts_touched;
  runtime::Object& first = *words.front();
  words.erase(words.begin());
  step(first, runtime::operation_on_part(access), access);
}

/// A read of a value that could be a variable the thread waits for.
void read_number(Cell& cell) {
  Look look;
  step(cell, Operation::memory_read, Access::read);
  const std::uint64_t value = value_at(cell.address, cell.size);
  look.found(cell, value, true);
  if (run.recording) {
    const runtime::OwnMemory own;
    recording::note_value(text_of_number(value, cell.size));
  }
}

}  // namespace

void make_step_of_access(std::uintptr_t address, std::size_t size, VarAccess access) {
  if (size == 0 || is_of_hocket(address, size)) return;
  const bool reads = access == VarAccess::read;
  const TouchesWords words(address, size);
  if (address % Cells::kGranule + size > Cells::kGranule) {
    step_on_words(reads ? Access::read : Access::write);
    return;
  }
  Cell& cell = cells().find(address, static_cast<std::uint32_t>(size));
  cell.find_key();
  if (!reads) {
    step(cell, Operation::memory_write, Access::write);
  } else if (size <= sizeof(std::uint64_t)) {
    read_number(cell);
  } else {
    step(cell, Operation::memory_read, Access::read);
  }
}

void make_step_of_look(std::uintptr_t address, std::size_t size) {
  const bool is_known = size <= sizeof(std::uint64_t) && address % Cells::kGranule + size <= Cells::kGranule;
  if (!is_known || is_of_hocket(address, size)) return;
  Cell& cell = cells().find(address, static_cast<std::uint32_t>(size));
  cell.find_key();
  read_number(cell);
}

// An operation affects all parts of its object in the same way, so the source counts as written, too. That
// creates more dependencies than necessary, but never too few.
void make_step_of_copy(std::uintptr_t to, std::uintptr_t from, std::size_t size) {
  if (size == 0 || is_of_hocket(to, size)) return;
  const std::uintptr_t begin = std::min(to, from);
  const std::uintptr_t end = std::max(to, from) + size;
  if (end - begin < 2 * size + 2 * kWord) {  // source and target may share a word, which is touched once
    const TouchesWords words(begin, end - begin);
    step_on_words(Access::write);
  } else {
    const TouchesWords words(to, size);
    TouchesWords::add(from, size);
    step_on_words(Access::write);
  }
}

}  // namespace hocket::unmodified
