#include "object_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include <ar.h>
#include <elf.h>

namespace hocket::check_hooks {

namespace {

using Bytes = std::vector<unsigned char>;

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The member of that name of an archive of GNU's; of a thin archive the file that it names.
Bytes member_of(const std::filesystem::path& archive, std::string_view name) {
  const Bytes all = read_file(archive);
  const std::string_view text(reinterpret_cast<const char*>(all.data()), all.size());
  const bool is_thin = text.starts_with("!<thin>\n");
  if (!is_thin && !text.starts_with(ARMAG)) return {};
  std::string_view long_names;
  for (std::size_t at = SARMAG; at + sizeof(ar_hdr) <= text.size();) {
    ar_hdr header;
    std::memcpy(&header, text.data() + at, sizeof header);
    at += sizeof header;
    const std::size_t size =
        std::strtoull(std::string(header.ar_size, sizeof header.ar_size).c_str(), nullptr, 10);
    std::string_view member(header.ar_name, sizeof header.ar_name);
    member = member.substr(0, member.find_last_not_of(' ') + 1);
    const bool is_index = member == "/" || member == "/SYM64/";
    if (member == "//") {
      long_names = text.substr(at, size);
    } else if (!is_index) {
      if (member.starts_with('/')) {
        const std::size_t place = std::strtoull(std::string(member.substr(1)).c_str(), nullptr, 10);
        member = long_names.substr(std::min(place, long_names.size()));
        member = member.substr(0, member.find('\n'));
      }
      if (member.ends_with('/')) member.remove_suffix(1);
      if (is_thin && std::filesystem::path(member).filename() == std::filesystem::path(name).filename())
        return read_file(archive.parent_path() / member);
      if (!is_thin && member == name)
        return {all.begin() + static_cast<std::ptrdiff_t>(at),
            all.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, all.size()))};
    }
    if (!is_thin || is_index || member == "//") at += size + size % 2;
  }
  return {};
}

Bytes read_object(const std::string& file) {
  const std::size_t open = file.rfind('(');
  if (!file.ends_with(')') || open == std::string::npos) return read_file(file);
  return member_of(file.substr(0, open), std::string_view(file).substr(open + 1, file.size() - open - 2));
}

/// What a hook tells of: not that of a function's beginning or end, nor the constructor.
bool is_hook(std::string_view symbol) {
  return symbol.starts_with("__tsan_") && !symbol.starts_with("__tsan_func_") && symbol != "__tsan_init";
}

}  // namespace

ObjectFile::ObjectFile(const std::string& file) : bytes_(read_object(file)) {
  const bool is_object = bytes_.size() > sizeof(Elf64_Ehdr) &&
                         std::memcmp(bytes_.data(), ELFMAG, SELFMAG) == 0 && bytes_[EI_CLASS] == ELFCLASS64;
  if (is_object) read_sections();
}

bool ObjectFile::calls_hooks(const std::string& section) const {
  return hooks_called_.contains(section);
}

void ObjectFile::read_sections() {
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(bytes_.data());
  const auto* const sections = reinterpret_cast<const Elf64_Shdr*>(bytes_.data() + header->e_shoff);
  const std::size_t count = header->e_shnum != 0 ? header->e_shnum : sections[0].sh_size;
  const std::size_t names = header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : sections[0].sh_link;
  const auto text_at = [&](const Elf64_Shdr& strings, std::size_t offset) {
    return reinterpret_cast<const char*>(bytes_.data() + strings.sh_offset + offset);
  };
  const auto name_of = [&](const Elf64_Shdr& section) { return text_at(sections[names], section.sh_name); };
  const auto symbol_name = [&](const Elf64_Shdr& table, std::size_t number) {
    const auto* const symbols = reinterpret_cast<const Elf64_Sym*>(bytes_.data() + table.sh_offset);
    return text_at(sections[table.sh_link], symbols[number].st_name);
  };

  for (std::size_t n = 0; n < count; ++n) {
    const Elf64_Shdr& section = sections[n];
    if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) {  // libraries may be stripped
      const auto* const symbols = reinterpret_cast<const Elf64_Sym*>(bytes_.data() + section.sh_offset);
      for (std::size_t s = 0; s < section.sh_size / sizeof(Elf64_Sym); ++s) {
        const bool is_defined = symbols[s].st_shndx != SHN_UNDEF;
        has_functions_ |= is_defined && ELF64_ST_TYPE(symbols[s].st_info) == STT_FUNC &&
                          ELF64_ST_BIND(symbols[s].st_info) != STB_LOCAL && symbols[s].st_size != 0;
        if (std::strcmp(symbol_name(section, s), "__tsan_init") != 0) continue;
        (is_defined ? is_of_hocket_ : has_hooks_) = true;
      }
    } else if (section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_EXECINSTR) != 0) {
      code_.push_back({name_of(section), {bytes_.data() + section.sh_offset, section.sh_size}});
    } else if (section.sh_type == SHT_RELA && (sections[section.sh_info].sh_flags & SHF_EXECINSTR) != 0) {
      const auto* const relocations = reinterpret_cast<const Elf64_Rela*>(bytes_.data() + section.sh_offset);
      for (std::size_t r = 0; r < section.sh_size / sizeof(Elf64_Rela); ++r) {
        if (is_hook(symbol_name(sections[section.sh_link], ELF64_R_SYM(relocations[r].r_info))))
          hooks_called_.insert(name_of(sections[section.sh_info]));
      }
    }
  }
}

}  // namespace hocket::check_hooks
