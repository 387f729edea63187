#include "source_files.hpp"

#include <cstddef>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace hocket::debug_info {

namespace {

char* no_path = nullptr;

const Dwfl_Callbacks callbacks{
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &no_path,
};

/// The folder in which the compiler ran, with a slash behind it; empty if it is not known.
std::string folder_of(Dwarf_Die* unit) {
  Dwarf_Attribute attribute;
  const char* const folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  return folder == nullptr ? "" : std::string(folder) + '/';
}

void add_files_of(Dwarf_Die* unit, std::set<std::string>& into) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0) return;
  const std::string folder = folder_of(unit);
  for (std::size_t n = 0; n < count; ++n) {
    const char* const path = dwarf_filesrc(files, n, nullptr, nullptr);
    if (path != nullptr) into.insert((*path == '/' ? "" : folder) + path);
  }
}

}  // namespace

std::set<std::string> source_files(const std::string& program) {
  std::set<std::string> found;
  Dwfl* const dwfl = dwfl_begin(&callbacks);
  if (dwfl == nullptr) return found;
  Dwfl_Module* const module = dwfl_report_offline(dwfl, "", program.c_str(), -1);
  dwfl_report_end(dwfl, nullptr, nullptr);
  if (module != nullptr) {
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr;)
      add_files_of(unit, found);
  }
  dwfl_end(dwfl);
  return found;
}

}  // namespace hocket::debug_info
