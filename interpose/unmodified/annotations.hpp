// What the program says of its own threads and memory, in the words of ThreadSanitizer: its annotations.
//
// Code that knows of that sanitizer calls these functions where Clang's compiler says that it is at work
// (Abseil, libcds, LLVM, Qt); other code may call them to tell of what Hocket does not see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hocket::unmodified {

/// Memory on which the program wants no data races looked for.
class BenignMemory {
 public:
  /// Forgets what the last execution has said.
  void begin() { in_execution_.clear(); }

  /// Said in a body it holds for the execution, else from now on.
  void add(std::uintptr_t address, std::size_t size);

  /// Whether some of these bytes belong to it.
  [[nodiscard]] bool overlaps(std::uintptr_t address, std::size_t size) const;

 private:
  struct Extent {
    std::uintptr_t begin;
    std::uintptr_t end;
  };
  [[nodiscard]] static bool overlaps(
      const std::vector<Extent>& extents, std::uintptr_t begin, std::uintptr_t end);

  std::vector<Extent> in_execution_;
  std::vector<Extent> always_;
};

BenignMemory& benign_memory();

}  // namespace hocket::unmodified
