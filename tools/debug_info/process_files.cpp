#include "process_files.hpp"

#include <array>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <dwarf.h>
#include <fcntl.h>
#include <unistd.h>

namespace hocket::debug_info {

namespace {

char* no_path = nullptr;

/// A path that leads to the program even if the file has been replaced since, and the one by which the
/// process knows it.
struct Program {
  std::string path;
  std::string known_as;
} program_of_process;

int find_file(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr begin, char** path, Elf** elf) {
  if (name != nullptr && program_of_process.known_as == name) {
    const int file = open(program_of_process.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
      *path = strdup(name);  // beside which a file with the debug information may be
      return file;
    }
  }
  return dwfl_linux_proc_find_elf(module, data, name, begin, path, elf);
}

const Dwfl_Callbacks callbacks{
    .find_elf = find_file,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = nullptr,
    .debuginfo_path = &no_path,
};

/// The unit, or where it is split the part with the descriptions; nothing for units of types.
std::optional<Dwarf_Die> described(Dwarf_CU* unit) {
  Dwarf_Half version = 0;
  std::uint8_t type = 0;
  Dwarf_Die whole;
  Dwarf_Die part;
  if (dwarf_cu_info(unit, &version, &type, &whole, &part, nullptr, nullptr, nullptr) != 0) return {};
  if (type == DW_UT_skeleton && part.addr != nullptr) return part;
  if (type == DW_UT_type || type == DW_UT_split_type) return {};
  return whole;
}

/// What the process has mapped, as the system says it, without memory that has no file. Hocket may put such
/// memory in the middle of the program's variables, for a supervisor; those behind it are still the
/// program's.
std::string mapped_files(pid_t process) {
  std::ifstream lines("/proc/" + std::to_string(process) + "/maps");
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const bool is_of_supervisor =
        line.find(" /memfd:") != std::string::npos || line.find(" /dev/zero") != std::string::npos;
    if (!is_of_supervisor) text += line + "\n";
  }
  return text;
}

}  // namespace

ProcessFiles::ProcessFiles(pid_t process) : process_(process), dwfl_(dwfl_begin(&callbacks)) {
  std::array<char, PATH_MAX> known_as{};
  if (readlink(program().c_str(), known_as.data(), known_as.size() - 1) > 0)
    program_of_process = {program(), known_as.data()};
  report();
}

ProcessFiles::~ProcessFiles() {
  dwfl_end(dwfl_);
}

void ProcessFiles::report() {
  if (dwfl_ == nullptr) return;
  dwfl_report_begin_add(dwfl_);
  std::string mapped = mapped_files(process_);
  if (std::FILE* const file = mapped.empty() ? nullptr : fmemopen(mapped.data(), mapped.size(), "r");
      file != nullptr) {
    dwfl_linux_proc_maps_report(dwfl_, file);
    std::fclose(file);
  }
  dwfl_report_end(dwfl_, nullptr, nullptr);
}

Dwfl_Module* ProcessFiles::module_at(std::uint64_t address) {
  if (dwfl_ == nullptr) return nullptr;
  constexpr std::uint64_t kPage = 4096;
  Dwfl_Module* module = dwfl_addrmodule(dwfl_, address);
  if (module == nullptr && nowhere_.insert(address / kPage).second) {
    report();
    module = dwfl_addrmodule(dwfl_, address);
  }
  return module;
}

std::optional<File> ProcessFiles::file_at(std::uint64_t address) {
  Dwfl_Module* const module = module_at(address);
  if (module == nullptr) return {};
  Dwarf_Addr bias = 0;
  Dwarf* const dwarf = dwfl_module_getdwarf(module, &bias);
  if (dwarf == nullptr) return {};
  return File{module, dwarf, bias};
}

void ProcessFiles::add_functions(Dwarf_Die scope, Functions& into) {
  Dwarf_Die child;
  for (bool more = dwarf_child(&scope, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram: {
        Dwarf_Addr base = 0;
        Dwarf_Addr begin = 0;
        Dwarf_Addr end = 0;
        for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&child, at, &base, &begin, &end)) > 0;)
          if (begin < end) into[begin] = {end, child};
        add_functions(child, into);
        break;
      }
      // A lambda's function is described in its class, within the function that it is in.
      case DW_TAG_lexical_block:
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
        add_functions(child, into);
        break;
      default:
        break;
    }
  }
}

std::optional<Dwarf_Die> ProcessFiles::function_at(const Dwarf_Die& unit, std::uint64_t address_in_file) {
  const auto [known, is_new] = functions_.try_emplace(unit.addr);
  if (is_new) add_functions(unit, known->second);
  auto after = known->second.upper_bound(address_in_file);
  if (after == known->second.begin()) return {};
  --after;
  if (address_in_file >= after->second.end) return {};
  return after->second.die;
}

std::optional<File> ProcessFiles::file_below(std::uint64_t address) {
  struct Nearest {
    std::uint64_t address;
    std::uint64_t end;
  } nearest{address, 0};
  const auto look = [](Dwfl_Module* module, void** /*of*/, const char* /*name*/, Dwarf_Addr /*begin*/,
                        void* into) {
    Nearest& so_far = *static_cast<Nearest*>(into);
    Dwarf_Addr end = 0;
    dwfl_module_info(module, nullptr, nullptr, &end, nullptr, nullptr, nullptr, nullptr);
    if (end <= so_far.address && end > so_far.end) so_far.end = end;
    return static_cast<int>(DWARF_CB_OK);
  };
  if (dwfl_ == nullptr) return {};
  dwfl_getmodules(dwfl_, look, &nearest, 0);
  return nearest.end == 0 ? std::nullopt : file_at(nearest.end - 1);
}

std::optional<File> ProcessFiles::program_file() {
  struct Sought {
    std::string path;
    std::uint64_t begin;
  } sought;
  std::error_code error;
  sought.path = std::filesystem::read_symlink(program(), error);
  const auto look = [](Dwfl_Module* /*module*/, void** /*of*/, const char* name, Dwarf_Addr begin,
                        void* into) {
    Sought& program = *static_cast<Sought*>(into);
    if (name == nullptr || program.path != name) return static_cast<int>(DWARF_CB_OK);
    program.begin = begin;
    return static_cast<int>(DWARF_CB_ABORT);
  };
  if (dwfl_ == nullptr || error) return {};
  return dwfl_getmodules(dwfl_, look, &sought, 0) == 0 ? std::nullopt : file_at(sought.begin);
}

bool ProcessFiles::is_program_described() {
  const std::optional<File> file = program_file();
  if (!file) return false;
  for (Dwarf_Die& unit : units_of(*file)) {
    Dwarf_Die child;
    for (bool more = dwarf_child(&unit, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0)
      if (dwarf_tag(&child) == DW_TAG_base_type) return true;
  }
  return false;
}

std::vector<Dwarf_Die> ProcessFiles::units_of(const File& file) {
  std::vector<Dwarf_Die> units;
  Dwarf_CU* unit = nullptr;
  while (dwarf_get_units(file.dwarf, unit, &unit, nullptr, nullptr, nullptr, nullptr) == 0) {
    if (const std::optional<Dwarf_Die> die = described(unit)) units.push_back(*die);
  }
  return units;
}

std::optional<Dwarf_Die> ProcessFiles::skeleton_at(const File& file, std::uint64_t address) {
  // Clang writes no table of the ranges of units.
  const auto [known, is_new] = ranges_.try_emplace(file.dwarf);
  if (is_new) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die whole;
    while (dwarf_get_units(file.dwarf, unit, &unit, nullptr, nullptr, &whole, nullptr) == 0) {
      Dwarf_Addr base = 0;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&whole, at, &base, &begin, &end)) > 0;)
        if (begin < end) known->second[begin] = {end, whole};
    }
  }
  const std::uint64_t in_file = address - file.bias;
  auto after = known->second.upper_bound(in_file);
  if (after == known->second.begin()) return {};
  --after;
  if (in_file >= after->second.end) return {};
  return after->second.die;
}

std::optional<Dwarf_Die> ProcessFiles::unit_at(const File& file, std::uint64_t address) {
  const std::optional<Dwarf_Die> unit = skeleton_at(file, address);
  return unit ? described(unit->cu) : std::nullopt;
}

}  // namespace hocket::debug_info
