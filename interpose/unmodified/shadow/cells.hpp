// Shadow memory: the memory that the program's threads share, divided into cells. There is one cell for each
// combination of address and size with which memory is accessed.
//
// A cell is the modelled object of an atomic at that address, and also the shadow state with which plain
// accesses are checked for data races. Most memory is always accessed with the same size. Where cells
// overlap, an access is recorded in its own cell and checked against the others.
//
// Executions touch mostly the same memory. Cells are therefore kept from one execution to the next, and are
// reset when they are first found in an execution.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../../runtime/execution/step.hpp"
#include "../../../runtime/objects/var.hpp"
#include "../memory/address_map.hpp"

namespace hocket::unmodified {

struct AtomicRegion;

struct Cell : runtime::Var {
  Cell(std::uintptr_t address, std::uint32_t size);

  [[nodiscard, gnu::always_inline]] bool is_of(std::uintptr_t the_address, std::uint32_t the_size) const {
    return address == the_address && size == the_size;
  }
  /// Whether this is the cell of these bytes and has already been found in this execution.
  [[nodiscard, gnu::always_inline]] bool is_known(std::uintptr_t the_address, std::uint32_t the_size) const {
    return is_of(the_address, the_size) && life == runtime::run.life;
  }
  /// Whether this is a pseudo-cell of size 0. It records that the heap block at this address was used:
  /// freeing the block must be ordered after that use.
  [[nodiscard]] bool is_use() const { return size == 0; }
  /// Computes the key; needed before the cell becomes the object of an operation. Data that only has plain
  /// reads and writes needs no key.
  void find_key();
  /// Whether plain accesses to it need no checks other than those for data races.
  [[nodiscard]] bool is_simple() const { return flags == 0; }

  /// The bits of the word at `word` that lie in it.
  [[nodiscard]] std::uint64_t bits_in(std::uintptr_t word) const;

  /// Why an access needs special treatment.
  enum Flag : std::uint8_t {
    kOverlaps = 1,  ///< overlaps another cell of the granule, perhaps one of another execution
    // -- Valid in this execution only
    kOwnedByHocket = 2,  ///< Hocket's, now or before: its inline functions access it in hooked code
    kIsFreed = 4,        ///< belongs to a heap block that was freed
    kIsAtomic = 8,       ///< has been accessed atomically
    kIsBenign = 16,      ///< the program asked not to report data races on it
    kIsShared = 32       ///< an atomic whose operations also touch other objects: see TouchesShared
  };
  [[nodiscard]] bool has(Flag flag) const { return (flags & flag) != 0; }

  std::uintptr_t address;
  std::uint32_t size;      ///< in bytes; 0: see is_use()
  std::uint8_t flags = 0;  ///< a set of Flag values
  Cell* next = nullptr;    ///< next cell of the granule, ordered by address and size

  // -- For atomics; see atomic_regions.hpp
  const AtomicRegion* region = nullptr;  ///< its region in this execution, or nullptr
  std::uint64_t alone_as = 0;            ///< the key with which it was last found to have no region
  std::uint32_t alone_at = 0;            ///< the value of AtomicRegions::changes_ at that time
};

class Cells {
 public:
  static constexpr std::uintptr_t kGranule = 16;  ///< bytes; only cells of BytesAtomic span granules

  /// Forgets all cells. Called at the beginning of a search.
  void clear();
  /// Forgets all cells if there are many more than the last execution has touched. Called at the beginning of
  /// an execution.
  void begin();

  /// The cell of `size` bytes at `address`. It is kept in the granule in which the bytes begin.
  [[gnu::always_inline]] Cell& find(std::uintptr_t address, std::uint32_t size) {
    Cell* const last = last_found(address);
    if (last != nullptr && last->is_known(address, size)) [[likely]]
      return *last;
    return find_slowly(address, size);
  }
  /// The cell found last among those that share the cache slot of `address`, or nullptr. It may have another
  /// address.
  [[gnu::always_inline]] Cell* last_found(std::uintptr_t address) { return last_found_[place_of(address)]; }

  /// Records an access to heap memory that is not checked for data races. Freeing the block must be ordered
  /// after it.
  void use(std::uintptr_t address);

  /// The thread ends, and with it its thread_local variables.
  void end_thread_locals(unsigned thread);

  /// Whether `cell`, which belonged to Hocket, still does. The life of a hocket:: object may have ended.
  static bool is_still_own(Cell& cell);

  /// Checks an access to `cell`, which overlaps other cells, against the earlier accesses to those.
  static void check_others(Cell& cell, runtime::VarAccess access);

  /// Calls `visit(cell)` for each cell of this execution that lies in the `size` bytes at `address` or
  /// overlaps them.
  template <class Visit>
  void for_each_in(std::uintptr_t address, std::size_t size, Visit&& visit) {
    for (std::uintptr_t granule = address / kGranule; granule * kGranule < address + size; ++granule) {
      for (Cell* cell = first_of(granule); cell != nullptr; cell = cell->next) {
        const std::size_t bytes = cell->is_use() ? 1 : cell->size;
        const bool is_there = cell->address < address + size && address < cell->address + bytes;
        if (is_there && cell->life == runtime::run.life) visit(*cell);
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
  /// Resets the cell for this execution.
  void begin(Cell& cell);
  [[gnu::noinline, gnu::cold]] void note_thread_local(Cell& cell);

  struct ThreadLocal {
    Cell* cell;
    unsigned owner;
  };

  static constexpr std::size_t kPlaces = 512;
  std::array<Cell*, kPlaces> last_found_{};  ///< by place_of()
  AddressMap<Cell*, 8> first_;               ///< the first cell of each granule, by address / kGranule
  Pool<Cell> made_;
  std::vector<ThreadLocal> thread_locals_;  ///< those of this execution
  std::uint64_t touched_before_ = 0;        ///< run.first_touches when this execution began
};

/// The shadow memory of the running execution.
extern constinit Cells* all_cells;
void make_cells();
[[gnu::always_inline]] inline Cells& cells() {
  if (all_cells == nullptr) [[unlikely]]
    make_cells();
  return *all_cells;
}

/// `object` as a cell if it is one, otherwise nullptr.
const Cell* as_cell(const runtime::Object& object);

}  // namespace hocket::unmodified
