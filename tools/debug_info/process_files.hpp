// The files that a process has loaded, and their debug information.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace hocket::debug_info {

/// A file's debug information.
struct File {
  Dwfl_Module* module = nullptr;
  Dwarf* dwarf = nullptr;
  std::uint64_t bias = 0;  ///< what is added to the addresses in the file
};

class ProcessFiles {
 public:
  explicit ProcessFiles(pid_t process);
  ~ProcessFiles();
  ProcessFiles(const ProcessFiles&) = delete;
  ProcessFiles& operator=(const ProcessFiles&) = delete;

  /// A path of the program that the process runs.
  [[nodiscard]] std::string program() const { return "/proc/" + std::to_string(process_) + "/exe"; }

  /// The loaded file at the address; nullptr if there is none. One that has been loaded since is found too.
  Dwfl_Module* module_at(std::uint64_t address);
  /// The file at the address, if it has debug information.
  std::optional<File> file_at(std::uint64_t address);
  /// The file whose last byte is the nearest below the address: its zeroed variables lie behind what is
  /// mapped.
  std::optional<File> file_below(std::uint64_t address);
  /// The program's own file, if it has debug information.
  std::optional<File> program_file();
  /// Whether debug information describes the types of the program, or of a part of it. With -g1 it does not.
  bool is_program_described();
  /// The unit of the file whose code is at the address: where it is split, the part with the descriptions.
  std::optional<Dwarf_Die> unit_at(const File& file, std::uint64_t address);
  /// The same, but the part with the address and the folder, where it is split.
  std::optional<Dwarf_Die> skeleton_at(const File& file, std::uint64_t address);
  /// The function in the unit whose code is at the address; nothing if there is none.
  std::optional<Dwarf_Die> function_at(const Dwarf_Die& unit, std::uint64_t address_in_file);
  /// All units of the file: where they are split, the parts with the descriptions.
  static std::vector<Dwarf_Die> units_of(const File& file);

 private:
  struct Range {
    std::uint64_t end;
    Dwarf_Die die;
  };
  using Functions = std::map<std::uint64_t, Range>;  ///< by the beginnings of their code in the file

  void report();
  static void add_functions(Dwarf_Die scope, Functions& into);

  pid_t process_;
  Dwfl* dwfl_ = nullptr;
  std::set<std::uint64_t> nowhere_;  ///< pages for which the list of files was read again
  std::map<Dwarf*, std::map<std::uint64_t, Range>> ranges_;  ///< of units, by their beginnings in the file
  std::map<void*, Functions> functions_;                     ///< of the units that have been asked about
};

}  // namespace hocket::debug_info
