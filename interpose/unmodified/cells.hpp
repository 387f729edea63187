// Memory that the program's threads share, as cells: one for each address and size with which it is accessed.
//
// A cell is the modelled object of an atomic at that address, and the shadow of plain accesses to it for data
// races. Most memory is always accessed in one way, and then finding the cell is finding the granule of
// sixteen bytes. Where cells overlap, an access is noted in its own and looked at against the others.
#pragma once

#include <cstddef>
#include <cstdint>

#include <hocket/interpose/unmodified/address_map.hpp>
#include <hocket/runtime/execution.hpp>
#include <hocket/runtime/var.hpp>

namespace hocket::unmodified {

struct Cell : runtime::Var {
  Cell(std::uintptr_t address, std::uint32_t size, bool is_own, Cell* next);

  /// Before it is the object of an operation. Data that is only read and written plainly needs no key.
  void find_key();

  std::uintptr_t address;
  std::uint32_t size;            ///< bytes
  bool is_own;                   ///< Hocket's, or was: its inline functions touch it in instrumented code too
  bool overlaps = false;         ///< with another cell of the granule
  bool has_been_atomic = false;  ///< in this execution
  Cell* next;                    ///< in the granule
};

class Cells {
 public:
  static constexpr std::uintptr_t kGranule = 16;  ///< bytes; only cells of BytesAtomic cross its bounds

  /// Forgets all cells; at the beginning of an execution.
  void begin();

  /// The cell of `size` bytes at `address`, which begin in its granule.
  [[gnu::always_inline]] Cell& find(std::uintptr_t address, std::uint32_t size) {
    Cell* const first = first_of(address / kGranule);
    if (first != nullptr && first->address == address && first->size == size) [[likely]]
      return *first;
    return find_slowly(address, size, first);
  }

  /// Whether `cell`, which is own, still is: the life of a hocket:: object may have ended.
  static bool is_still_own(Cell& cell);

  /// Looks at an access to `cell`, which overlaps others, against what was done to those.
  static void check_others(Cell& cell, runtime::VarAccess access);

  /// Calls `visit(cell)` for each cell that lies in the `size` bytes at `address` or overlaps them.
  template <class Visit>
  void for_each_in(std::uintptr_t address, std::size_t size, Visit&& visit) {
    for (std::uintptr_t granule = address / kGranule; granule * kGranule < address + size; ++granule) {
      for (Cell* cell = first_of(granule); cell != nullptr; cell = cell->next) {
        if (cell->address < address + size && address < cell->address + cell->size) visit(*cell);
      }
    }
  }

 private:
  [[gnu::always_inline]] Cell* first_of(std::uintptr_t granule) {
    Cell** const first = first_.find(granule);
    return first != nullptr ? *first : nullptr;
  }
  Cell& find_slowly(std::uintptr_t address, std::uint32_t size, Cell* first);

  AddressMap<Cell*, 8> first_;  ///< of a granule's cells, by the granule's address over kGranule
  Pool<Cell> made_;
};

/// Of the running execution.
extern constinit Cells* all_cells;
void make_cells();
[[gnu::always_inline]] inline Cells& cells() {
  if (all_cells == nullptr) [[unlikely]]
    make_cells();
  return *all_cells;
}

/// What ObjectKind::fingerprint says of an atomic that holds these bytes; of one whose size a machine can
/// read at once, the same as for a hocket::atomic.
std::uint64_t fingerprint_of_bytes(const void* bytes, std::size_t size);

}  // namespace hocket::unmodified
