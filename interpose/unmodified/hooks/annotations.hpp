// ThreadSanitizer's annotations: what the program states about its own threads and memory.
//
// Code that knows that sanitizer (Abseil, libcds, LLVM, Qt) calls these functions when Clang reports that the
// sanitizer is active. Other code may call them to describe what Hocket cannot see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace hocket::unmodified {

/// Memory on which the program asks not to report data races.
class BenignMemory {
 public:
  /// Forgets the memory that the last execution added.
  void begin() { in_execution_.clear(); }

  /// Adds memory: for this execution if called in a body, otherwise permanently.
  void add(std::uintptr_t address, std::size_t size);

  /// Whether any of these bytes belong to it.
  [[nodiscard]] bool overlaps(std::uintptr_t address, std::size_t size) const {
    const bool is_none = in_execution_.empty() && always_.empty();
    return !is_none &&
           (in_execution_.overlap(address, address + size) || always_.overlap(address, address + size));
  }

 private:
  /// Ranges that do not overlap, in ascending order.
  class Extents {
   public:
    void clear() { end_of_.clear(); }
    [[nodiscard]] bool empty() const { return end_of_.empty(); }
    void add(std::uintptr_t begin, std::uintptr_t end);
    [[nodiscard]] bool overlap(std::uintptr_t begin, std::uintptr_t end) const;

   private:
    std::map<std::uintptr_t, std::uintptr_t> end_of_;  ///< by the beginning of the range
  };

  Extents in_execution_;
  Extents always_;
};

/// If the program was compiled to measure coverage: marks the compiler's counters, which all threads write,
/// as benign. Called at the beginning of a search.
void begin_to_pass_over_counters_of_coverage();

/// Made when it is first needed, because programs may annotate their memory before Hocket's data is
/// initialised.
extern constinit BenignMemory* known_benign_memory;
BenignMemory& make_benign_memory();
inline BenignMemory& benign_memory() {
  return known_benign_memory != nullptr ? *known_benign_memory : make_benign_memory();
}

}  // namespace hocket::unmodified
