// The writable data of the program and of libraries, globals and statics: put back before each execution to
// what it was when the first one of the search began.
//
// Of libraries those take part that are instrumented, and those others that keep what an execution has
// allocated: it is gone after that. Which ones those are is detected after the first execution, which
// does not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hocket::unmodified {

/// Before an execution: takes the picture if none is there, else puts the data back.
void begin_with_fresh_data();

/// A piece of it, as it was when the search began.
struct SavedData {
  std::uintptr_t address;
  std::span<const std::byte> bytes;
};
std::vector<SavedData> saved_data();
bool is_data_saved();

/// The next execution takes a new picture.
void forget_data();

}  // namespace hocket::unmodified
