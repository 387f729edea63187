// The program's memory as aligned words of eight bytes, for executions in which plain accesses are steps.
//
// The same bytes may be accessed in pieces of different sizes. Each piece is an object of its own
// (cells.hpp), but two accesses that overlap still depend on each other. Which sizes occur is known only when
// the execution is over, and what an access touches must not depend on that. So each access, including an
// atomic one, touches the words it lies in as well as its own object.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../runtime/execution/step.hpp"

namespace hocket::unmodified {

inline constexpr std::uintptr_t kWord = 8;  ///< the size of a word in bytes

/// The object of the word that contains the byte at `address`. Valid until the next execution.
runtime::Object& word_at(std::uintptr_t address);

/// Forgets all words. Called at the beginning of an execution.
void forget_words();

/// While such an object exists, each operation of the current thread also applies to the words that contain
/// the given bytes. Used only where plain accesses are steps.
class TouchesWords {
 public:
  TouchesWords(std::uintptr_t address, std::size_t size) { add(address, size); }
  ~TouchesWords() { runtime::run.current->instrumented.parts_touched.clear(); }
  TouchesWords(const TouchesWords&) = delete;
  TouchesWords& operator=(const TouchesWords&) = delete;

  /// Adds the words of more bytes.
  static void add(std::uintptr_t address, std::size_t size);
};

}  // namespace hocket::unmodified
