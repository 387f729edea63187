// Memory that the program's threads share, as cells: one for each address and size with which it is accessed.
//
// A cell is the modelled object of an atomic at that address, and the shadow of plain accesses to it for data
// races. Most memory is always accessed in one way. Where cells overlap, an access is noted in its own and
// looked at against the others.
//
// Executions touch mostly the same memory, so cells stay from one to the next and begin anew when they are
// found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/objects/var.hpp"
#include "../memory/address_map.hpp"

namespace hocket::unmodified {

struct AtomicRegion;

struct Cell : runtime::Var {
  Cell(std::uintptr_t address, std::uint32_t size);

  [[nodiscard, gnu::always_inline]] bool is_of(std::uintptr_t the_address, std::uint32_t the_size) const {
    return address == the_address && size == the_size;
  }
  /// Whether it is the cell of these bytes and has been found in this execution.
  [[nodiscard, gnu::always_inline]] bool is_known(std::uintptr_t the_address, std::uint32_t the_size) const {
    return is_of(the_address, the_size) && life == runtime::execution.life;
  }
  /// Whether it is a pseudo-cell of no bytes, which records that the heap block there was used: freeing the
  /// block must be ordered after that.
  [[nodiscard]] bool is_use() const { return size == 0; }
  /// Before it is the object of an operation. Data that is only read and written plainly needs no key.
  void find_key();
  /// Whether plain accesses to it need no care but for data races.
  [[nodiscard]] bool is_simple() const { return flags == 0; }

  /// What accesses have to care for.
  enum Flag : std::uint8_t {
    kOverlaps = 1,  ///< with another cell of the granule, perhaps of another execution
    // -- in this execution
    kOwnedByHocket = 2,  ///< Hocket's, or was: its inline functions touch it in instrumented code too
    kIsFreed = 4,        ///< as a part of a heap block
    kIsAtomic = 8,       ///< has been
    kIsBenign = 16,      ///< the program wants no data races on it looked for
    kIsShared = 32       ///< an atomic that touches more than its own: see TouchesShared
  };
  [[nodiscard]] bool has(Flag flag) const { return (flags & flag) != 0; }

  std::uintptr_t address;
  std::uint32_t size;      ///< bytes; 0: see is_use()
  std::uint8_t flags = 0;  ///< of type Flag
  Cell* next = nullptr;    ///< in the granule, by address and size

  // -- of atomics; see atomic_regions.hpp
  const AtomicRegion* region = nullptr;  ///< in this execution, or none
  std::uint64_t alone_as = 0;            ///< a key with which it was found to have none
  std::uint32_t alone_at = 0;            ///< AtomicRegions::changes_ at that time
};

class Cells {
 public:
  static constexpr std::uintptr_t kGranule = 16;  ///< bytes; only cells of BytesAtomic cross its bounds

  /// Forgets all cells; at the beginning of a search.
  void clear();
  /// Forgets them if they are very many; at the beginning of an execution.
  void begin();

  /// The cell of `size` bytes at `address`, which begin in its granule.
  [[gnu::always_inline]] Cell& find(std::uintptr_t address, std::uint32_t size) {
    Cell* const last = last_found(address);
    if (last != nullptr && last->is_known(address, size)) [[likely]]
      return *last;
    return find_slowly(address, size);
  }
  /// A cell that was found at the address or elsewhere, or nullptr.
  [[gnu::always_inline]] Cell* last_found(std::uintptr_t address) { return last_found_[place_of(address)]; }

  /// An access to heap memory of which no data race is looked for. To free the block must be ordered after
  /// it.
  void use(std::uintptr_t address);

  /// Whether `cell`, which is own, still is: the life of a hocket:: object may have ended.
  static bool is_still_own(Cell& cell);

  /// Looks at an access to `cell`, which overlaps others, against what was done to those.
  static void check_others(Cell& cell, runtime::VarAccess access);

  /// Calls `visit(cell)` for each cell of this execution that lies in the `size` bytes at `address` or
  /// overlaps them.
  template <class Visit>
  void for_each_in(std::uintptr_t address, std::size_t size, Visit&& visit) {
    for (std::uintptr_t granule = address / kGranule; granule * kGranule < address + size; ++granule) {
      for (Cell* cell = first_of(granule); cell != nullptr; cell = cell->next) {
        const std::size_t bytes = cell->is_use() ? 1 : cell->size;
        const bool is_there = cell->address < address + size && address < cell->address + bytes;
        if (is_there && cell->life == runtime::execution.life) visit(*cell);
      }
    }
  }

 private:
  [[gnu::always_inline]] Cell* first_of(std::uintptr_t granule) {
    Cell** const first = first_.find(granule);
    return first != nullptr ? *first : nullptr;
  }
  [[gnu::always_inline]] static std::size_t place_of(std::uintptr_t address) {
    return address / sizeof(std::uint32_t) % kPlaces;
  }
  [[gnu::noinline]] Cell& find_slowly(std::uintptr_t address, std::uint32_t size);
  Cell& make(std::uintptr_t address, std::uint32_t size);
  /// In this execution.
  static void begin(Cell& cell);

  static constexpr std::size_t kPlaces = 512;
  std::array<Cell*, kPlaces> last_found_{};  ///< by place_of()
  AddressMap<Cell*, 8> first_;               ///< of a granule's cells, by the granule's address over kGranule
  Pool<Cell> made_;
};

/// The shadow memory of the running execution.
extern constinit Cells* all_cells;
void make_cells();
[[gnu::always_inline]] inline Cells& cells() {
  if (all_cells == nullptr) [[unlikely]]
    make_cells();
  return *all_cells;
}

/// `object` if that is a cell, else nullptr.
const Cell* as_cell(const runtime::Object& object);

}  // namespace hocket::unmodified
