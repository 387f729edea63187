// What memory is called that only pointers lead to: by the variable where they begin.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "process_files.hpp"
#include "variables.hpp"

namespace hocket::debug_info {

/// What is asked about an address.
struct ChainQuestion {
  std::uint64_t address = 0;
  std::uint64_t size = 0;   ///< of the part, as for path_to()
  std::uint64_t block = 0;  ///< where the block of the heap begins that it lies in; 0 if that is unknown
  std::uint64_t block_size = 0;
  bool by_any_pointer = false;     ///< not only through containers, smart pointers, references and `this`
  std::vector<Registers> threads;  ///< those whose variables are looked at, in this order
};

/// Follows pointers from the variables of threads and from global variables. Elements of the standard
/// library's containers are found as libstdc++ keeps them.
class Chains {
 public:
  Chains(ProcessFiles& files, Variables& variables, ReadWord read)
      : files_(files), variables_(variables), read_(std::move(read)) {}

  /// "node->value", "table[3].lock", "cache.map_[1].hits", "hits of an element of jobs in main", "*p in
  /// worker": the way with the fewest pointers. Empty if there is none, or none is found among the first few
  /// thousand.
  std::string name_of(const ChainQuestion& question);

  /// An execution begins, whose answers must not depend on what was asked before.
  void begin() { left_ = kMostPlaces; }

 private:
  static constexpr std::size_t kMostPlaces = 200'000;

  struct Root {
    Dwarf_Die variable;
    Dwarf_Die type;
    Located at;
  };
  std::string name_from(std::vector<Root>& roots, const ChainQuestion& question);

  ProcessFiles& files_;
  Variables& variables_;
  ReadWord read_;
  std::size_t left_ = kMostPlaces;
};

}  // namespace hocket::debug_info
