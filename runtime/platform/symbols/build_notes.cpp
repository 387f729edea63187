#include "build_notes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include <link.h>

#include "../files.hpp"
#include "user_code.hpp"

namespace hocket::runtime::platform {

namespace {

/// The bytes from `at` on that are in the file: all of them, or `size` at most.
std::string_view part_of(std::string_view file, std::size_t at, std::size_t size = std::string_view::npos) {
  return at < file.size() ? file.substr(at, size) : std::string_view{};
}

/// Copies a structure from the file. Returns whether the file has it.
template <class Structure>
bool read(std::string_view file, std::size_t at, Structure& structure) {
  const std::string_view bytes = part_of(file, at, sizeof structure);
  if (bytes.size() != sizeof structure) return false;
  std::memcpy(&structure, bytes.data(), sizeof structure);
  return true;
}

/// The content of a section of an ELF file; empty if it has none of that name.
std::string_view section_of(std::string_view file, std::string_view name) {
  ElfW(Ehdr) header;
  ElfW(Shdr) names;
  if (!read(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (!read(file, header.e_shoff + header.e_shstrndx * sizeof names, names)) return {};
  for (std::size_t n = 0; n < header.e_shnum; ++n) {
    ElfW(Shdr) section;
    if (!read(file, header.e_shoff + n * sizeof section, section)) break;
    const std::string_view found = part_of(file, names.sh_offset + section.sh_name);
    if (found.starts_with(name) && found.size() > name.size() && found[name.size()] == '\0')
      return part_of(file, section.sh_offset, section.sh_size);
  }
  return {};
}

/// Text that ends in a zero byte, as often as it comes, in such a section of the program and the libraries
/// that are loaded.
std::set<std::string> texts_in(const char* section) {
  struct Search {
    const char* section;
    std::set<std::string> texts;
  } search{section, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*size*/, void* argument) {
        auto& [name, texts] = *static_cast<Search*>(argument);
        const bool is_program = object->dlpi_name[0] == '\0';
        const FileBytes file(is_program ? "/proc/self/exe" : object->dlpi_name);
        for (std::string_view rest = section_of(file.bytes(), name); !rest.empty();) {
          const std::string_view text = rest.substr(0, rest.find('\0'));
          if (!text.empty()) texts.emplace(text);
          rest.remove_prefix(std::min(text.size() + 1, rest.size()));
        }
        return 0;
      },
      &search);
  return std::move(search.texts);
}

}  // namespace

std::vector<std::string> files_with_compiled_out_assertions() {
  std::vector<std::string> files;
  for (const std::string& file : texts_in("hocket_asserts")) {
    if (holds_user_code(file) && !file.starts_with("/usr/")) files.push_back(file);
  }
  return files;
}

std::vector<std::string> functions_with_assembly() {
  const std::set<std::string> functions = texts_in("hocket_assembly");
  return {functions.begin(), functions.end()};
}

std::vector<std::string> libraries_without_hooks() {
  const std::set<std::string> libraries = texts_in("hocket_hookless");
  return {libraries.begin(), libraries.end()};
}

}  // namespace hocket::runtime::platform
