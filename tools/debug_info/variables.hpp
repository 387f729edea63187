// Which variable an address of the tested process belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "expressions.hpp"
#include "process_files.hpp"

namespace hocket::debug_info {

class Variables {
 public:
  Variables(ProcessFiles& files, ReadWord read) : files_(files), read_(std::move(read)) {}

  /// The part of a variable in static storage: "server.cache.hits", "calls in main". Empty if it is unknown.
  /// `size` is that of the access, 0 if it is not known.
  std::string in_static_storage(std::uint64_t address, std::uint64_t size);

  /// The part of a local variable or parameter of the thread that has stopped with these registers:
  /// "done in main". Empty if it is unknown.
  std::string on_stack(std::uint64_t address, std::uint64_t size, const Registers& registers);

 private:
  struct Static {
    std::uint64_t end;
    Dwarf_Die die;
  };
  struct Index {
    bool has_functions = false;  ///< it contains the variables within functions
    std::map<std::uint64_t, Static> by_begin;
  };

  std::string named_in(Index& index, const File& file, std::uint64_t address, std::uint64_t size);
  void collect(Dwarf_Die scope, const File& file, bool with_functions, Index& into);

  ProcessFiles& files_;
  ReadWord read_;
  std::map<Dwarf*, Index> statics_;
};

}  // namespace hocket::debug_info
