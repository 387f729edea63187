// Which variable an address of the tested process belongs to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "expressions.hpp"
#include "process_files.hpp"

namespace hocket::debug_info {

/// A variable or parameter of a function that has not returned.
struct Local {
  Dwarf_Die die;
  Located at;  ///< its address, or its value where it is in a register
};

/// The part of a variable of this name, followed by the function that it is in: "slot.count in main".
std::string with_path(std::string name, const std::string& path);

class Variables {
 public:
  Variables(ProcessFiles& files, ReadWord read) : files_(files), read_(std::move(read)) {}

  /// The part of a variable in static storage: "server.cache.hits", "calls in main". Empty if it is unknown.
  /// `size` is that of the access, 0 if it is not known.
  std::string in_static_storage(std::uint64_t address, std::uint64_t size);

  /// The part of a thread_local variable of the program or library with an address `module`: `offset` is that
  /// in its thread_local storage.
  std::string in_thread_storage(std::uint64_t module, std::uint64_t offset, std::uint64_t size);

  /// The part of a local variable or parameter of the thread that has stopped with these registers:
  /// "done in main". Empty if it is unknown.
  std::string on_stack(std::uint64_t address, std::uint64_t size, const Registers& registers);

  /// The variables that are visible where the thread with these registers has stopped, and where its callers
  /// have, the outermost call first. Those that are declared on the line itself or below it are left out:
  /// they may not have a value yet.
  std::vector<Local> visible_from(const Registers& registers);

  /// Calls `visit` for each variable of the file in static storage that is in no function, and not of a
  /// library that may be linked into the program.
  void for_each_global(
      const File& file, const std::function<void(Dwarf_Die variable, std::uint64_t address)>& visit);

 private:
  struct Static {
    std::uint64_t end;
    Dwarf_Die die;
    bool is_of_program;  ///< in no function, and in no namespace of a library
  };
  struct Index {
    bool has_functions = false;  ///< it contains the variables within functions
    std::map<std::uint64_t, Static> by_begin;
    std::map<std::uint64_t, Static> thread_locals;  ///< by their offsets
  };

  static std::string named_in(
      std::map<std::uint64_t, Static>& by_begin, std::uint64_t address, std::uint64_t size);
  std::string sought_in(const File& file, std::map<std::uint64_t, Static> Index::*by_begin,
      std::uint64_t address, std::uint64_t size);
  Index& globals_of(const File& file);
  void collect(Dwarf_Die scope, const File& file, bool with_functions, bool is_of_program, Index& into);

  ProcessFiles& files_;
  ReadWord read_;
  std::map<Dwarf*, Index> statics_;
};

}  // namespace hocket::debug_info
