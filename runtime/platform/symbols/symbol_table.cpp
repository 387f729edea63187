#include "symbol_table.hpp"

#include <cstring>

#include <link.h>

#include "../files.hpp"

namespace hocket::runtime::platform {

// Data outside the file's bounds is ignored: a name is only a help.
void for_each_symbol_in(const std::string& path, const std::function<void(const FileSymbol&)>& visit) {
  const FileBytes file(path);
  const std::string_view bytes = file.bytes();
  const auto read = [&bytes](auto& value, std::size_t at) {
    if (at > bytes.size() || sizeof value > bytes.size() - at) return false;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return true;
  };
  ElfW(Ehdr) header;
  if (!read(header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
  for (std::size_t n = 0; n < header.e_shnum; ++n) {
    ElfW(Shdr) section;
    ElfW(Shdr) strings;
    if (!read(section, header.e_shoff + n * sizeof section) || section.sh_type != SHT_SYMTAB) continue;
    if (!read(strings, header.e_shoff + section.sh_link * sizeof strings)) continue;
    for (std::size_t at = 0; at + sizeof(ElfW(Sym)) <= section.sh_size; at += sizeof(ElfW(Sym))) {
      ElfW(Sym) symbol;
      if (!read(symbol, section.sh_offset + at)) break;
      const unsigned type = symbol.st_info & 0xfU;
      const bool is_one = (type == STT_OBJECT || type == STT_FUNC) && symbol.st_size != 0;
      const std::size_t name = strings.sh_offset + symbol.st_name;
      if (!is_one || symbol.st_shndx == SHN_UNDEF || name >= bytes.size()) continue;
      const char* const text = bytes.data() + name;
      visit({type == STT_OBJECT ? FileSymbol::Kind::data : FileSymbol::Kind::function, symbol.st_value,
          symbol.st_size, {text, strnlen(text, bytes.size() - name)}});
    }
  }
}

}  // namespace hocket::runtime::platform
