// What the program says of its own threads and memory, in the words of ThreadSanitizer: its annotations.
//
// Code that knows of that sanitizer calls these functions where Clang's compiler says that it is at work
// (Abseil, libcds, LLVM, Qt); other code may call them to tell of what Hocket does not see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace hocket::unmodified {

/// Memory on which the program wants no data races looked for.
class BenignMemory {
 public:
  /// Forgets what the last execution has said.
  void begin() { in_execution_.clear(); }

  /// Said in a body it holds for the execution, else from now on.
  void add(std::uintptr_t address, std::size_t size);

  /// Whether some of these bytes belong to it.
  [[nodiscard]] bool overlaps(std::uintptr_t address, std::size_t size) const {
    const bool is_none = in_execution_.empty() && always_.empty();
    return !is_none &&
           (in_execution_.overlap(address, address + size) || always_.overlap(address, address + size));
  }

 private:
  /// Without overlaps, in their order.
  class Extents {
   public:
    void clear() { end_of_.clear(); }
    [[nodiscard]] bool empty() const { return end_of_.empty(); }
    void add(std::uintptr_t begin, std::uintptr_t end);
    [[nodiscard]] bool overlap(std::uintptr_t begin, std::uintptr_t end) const;

   private:
    std::map<std::uintptr_t, std::uintptr_t> end_of_;  ///< by begin
  };

  Extents in_execution_;
  Extents always_;
};

/// Where the program was compiled to measure coverage: the compiler's counters, which all threads write, are
/// benign. At the beginning of a search.
void begin_to_pass_over_counters_of_coverage();

/// Made when it is first needed; programs may speak of their memory before Hocket's data is initialised.
extern constinit BenignMemory* known_benign_memory;
BenignMemory& make_benign_memory();
inline BenignMemory& benign_memory() {
  return known_benign_memory != nullptr ? *known_benign_memory : make_benign_memory();
}

}  // namespace hocket::unmodified
