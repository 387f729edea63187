// The writable data of the program and of libraries (globals and statics). It is restored before each
// execution to its state when the first execution of the search began.
//
// Two kinds of libraries take part: instrumented ones, and others that keep pointers to memory allocated by
// an execution, because that memory is gone afterwards. The latter are detected after the first execution,
// which is not counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hocket::unmodified {

/// Called before an execution: takes the snapshot if there is none, otherwise restores the data.
void begin_with_fresh_data();

/// A piece of the data, as it was when the search began.
struct SavedData {
  std::uintptr_t address;
  std::span<const std::byte> bytes;
};
std::vector<SavedData> saved_data();
bool is_data_saved();

/// Restores the data and drops the snapshot. The next execution takes a new one.
void forget_data();

}  // namespace hocket::unmodified
