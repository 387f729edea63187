#include "object_file.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

namespace hocket::check_hooks {

namespace {

[[noreturn]] void throw_error_of_libelf() {
  throw std::runtime_error(elf_errmsg(-1));
}

/// Returns the result of a libelf function, or throws if it failed. These functions check all offsets and
/// indices against the size of the file.
template <class Result>
Result checked(Result result) {
  if (result == Result()) throw_error_of_libelf();
  return result;
}

struct Section {
  Elf_Scn* handle;
  GElf_Shdr header;

  [[nodiscard]] bool is_code() const { return (header.sh_flags & SHF_EXECINSTR) != 0; }
  [[nodiscard]] Elf_Data* data() const { return checked(elf_getdata(handle, nullptr)); }
};

Section section_at(Elf* file, std::size_t number) {
  Section section{checked(elf_getscn(file, number)), {}};
  checked(gelf_getshdr(section.handle, &section.header));
  return section;
}

std::string name_of(Elf* file, const Section& section) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(file, &names) != 0) throw_error_of_libelf();
  return checked(elf_strptr(file, names, section.header.sh_name));
}

std::string_view symbol_name(Elf* file, const Section& symbols, const GElf_Sym& symbol) {
  return checked(elf_strptr(file, symbols.header.sh_link, symbol.st_name));
}

/// Whether `symbol` is a hook that reports an operation, and not a function's beginning or end, or the
/// initialization.
bool is_hook(std::string_view symbol) {
  return symbol.starts_with("__tsan_") && !symbol.starts_with("__tsan_func_") && symbol != "__tsan_init";
}

}  // namespace

ObjectFile::ObjectFile(const std::string& file) {
  try {
    const std::size_t bracket = file.ends_with(')') ? file.rfind('(') : std::string::npos;
    if (bracket == std::string::npos) {
      object_ = open(file);
    } else {
      archive_ = open(file.substr(0, bracket));
      object_ =
          open_member(archive_.get(), std::string_view(file).substr(bracket + 1, file.size() - bracket - 2));
    }
    contents_ = read(object_.get());
  } catch (const std::runtime_error& error) {
    problem_ = error.what();
  }
}

std::span<const unsigned char> ObjectFile::bytes() const {
  std::size_t size = 0;
  const char* const begin = object_ != nullptr ? elf_rawfile(object_.get(), &size) : nullptr;
  return {reinterpret_cast<const unsigned char*>(begin), begin != nullptr ? size : 0};
}

ObjectFile::ElfPointer ObjectFile::open(const std::string& path) {
  checked(elf_version(EV_CURRENT));
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw std::runtime_error(std::strerror(errno));
  ElfPointer elf(elf_begin(file, ELF_C_READ_MMAP, nullptr));
  // All of it is mapped or read now: a large link has more object files than a process may have open.
  const bool is_read = elf != nullptr && elf_cntl(elf.get(), ELF_C_FDREAD) == 0;
  close(file);
  if (!is_read) throw_error_of_libelf();
  return elf;
}

ObjectFile::ElfPointer ObjectFile::open_member(Elf* archive, std::string_view name) {
  if (elf_kind(archive) != ELF_K_AR) throw std::runtime_error("it is not an archive");
  constexpr int kNoFile = -1;  // the archive has been read
  for (Elf_Cmd command = ELF_C_READ_MMAP; command != ELF_C_NULL;) {
    ElfPointer member(elf_begin(kNoFile, command, archive));
    if (member == nullptr) break;
    if (checked(elf_getarhdr(member.get()))->ar_name == name) return member;
    command = elf_next(member.get());
  }
  throw std::runtime_error("the archive has no such member");
}

ObjectFile::Contents ObjectFile::read(Elf* object) {
  if (elf_kind(object) != ELF_K_ELF) throw std::runtime_error("it is not an object file");
  GElf_Ehdr header;
  checked(gelf_getehdr(object, &header));
  std::size_t count = 0;
  if (elf_getshdrnum(object, &count) != 0) throw_error_of_libelf();
  if (count == 0 && header.e_shoff != 0) throw std::runtime_error("its table of sections is missing");

  Contents contents;
  for (std::size_t n = 1; n < count; ++n) {
    const Section section = section_at(object, n);
    const auto type = section.header.sh_type;
    if (type == SHT_SYMTAB || type == SHT_DYNSYM) {  // libraries may be stripped
      GElf_Sym symbol;
      for (int s = 0; gelf_getsym(section.data(), s, &symbol) != nullptr; ++s) {
        const bool is_defined = symbol.st_shndx != SHN_UNDEF;
        contents.has_functions |= is_defined && GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
                                  GELF_ST_BIND(symbol.st_info) != STB_LOCAL && symbol.st_size != 0;
        if (symbol_name(object, section, symbol) != "__tsan_init") continue;
        (is_defined ? contents.is_of_hocket : contents.has_hooks) = true;
      }
    } else if (type == SHT_PROGBITS && section.is_code()) {
      const Elf_Data& data = *section.data();
      contents.code.push_back(
          {name_of(object, section), {static_cast<const unsigned char*>(data.d_buf), data.d_size}});
    } else if (type == SHT_RELA && section.header.sh_info != 0) {  // 0: those of a whole library
      const Section relocated = section_at(object, section.header.sh_info);
      if (!relocated.is_code()) continue;
      const Section symbols = section_at(object, section.header.sh_link);
      GElf_Rela relocation;
      for (int r = 0; gelf_getrela(section.data(), r, &relocation) != nullptr; ++r) {
        GElf_Sym symbol;
        checked(gelf_getsym(symbols.data(), static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol));
        if (is_hook(symbol_name(object, symbols, symbol)))
          contents.hooks_called.insert(name_of(object, relocated));
      }
    }
  }
  return contents;
}

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

bool add_section(const std::string& program, const std::string& section, const std::set<std::string>& texts,
    const std::string& objcopy) {
  const std::string file = program + "." + section;
  std::ofstream out(file, std::ios::binary);
  for (const std::string& text : texts) out << text << '\0';
  out.close();
  const std::string command =
      shell_word(objcopy) + " --add-section " + shell_word(section + "=" + file) + " " + shell_word(program);
  const bool is_added = out && std::system(command.c_str()) == 0;
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return is_added;
}

}  // namespace hocket::check_hooks
