// The program's memory as aligned words of eight bytes, where plain accesses are steps.
//
// The same bytes may be accessed in pieces of different sizes, each of which is an object of its own
// (cells.hpp), and two accesses that overlap depend on each other all the same. Which sizes there are is
// known only when the execution is over, and what an access touches must not depend on that. So each access,
// atomic ones too, touches the words that it lies in beside its own object.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../runtime/execution/execution.hpp"

namespace hocket::unmodified {

inline constexpr std::uintptr_t kWord = 8;  ///< bytes

/// The object of the word that holds the byte at `address`; valid until the next execution.
runtime::Object& word_at(std::uintptr_t address);

/// At the beginning of an execution.
void forget_words();

/// While one lives, what the current thread does to an object it does to the words as well that hold so many
/// bytes. Only where plain accesses are steps.
class TouchesWords {
 public:
  TouchesWords(std::uintptr_t address, std::size_t size) { add(address, size); }
  ~TouchesWords() { runtime::execution.current->parts_touched.clear(); }
  TouchesWords(const TouchesWords&) = delete;
  TouchesWords& operator=(const TouchesWords&) = delete;

  /// More bytes.
  static void add(std::uintptr_t address, std::size_t size);
};

}  // namespace hocket::unmodified
