#include "build_id.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <link.h>

#include "../files.hpp"

namespace hocket::runtime::platform {

namespace {

// Searches one segment of ELF notes: header, name and descriptor, each padded to `alignment`.
bool find_build_id(const std::byte* notes, std::size_t size, std::size_t alignment, std::string& id) {
  const auto padded = [alignment](std::size_t bytes) { return (bytes + alignment - 1) & ~(alignment - 1); };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes, sizeof header);
    const std::size_t descriptor = sizeof header + padded(header.n_namesz);
    const std::size_t end = descriptor + padded(header.n_descsz);
    if (descriptor + header.n_descsz > size) return false;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(notes + sizeof header, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
      for (std::size_t n = 0; n < header.n_descsz; ++n) {
        constexpr char kDigits[] = "0123456789abcdef";
        const auto byte = std::to_integer<unsigned>(notes[descriptor + n]);
        id += kDigits[byte >> 4U];
        id += kDigits[byte & 15U];
      }
      return true;
    }
    if (end >= size) return false;
    notes += end;
    size -= end;
  }
  return false;
}

}  // namespace

std::string build_id_of_this_program() {
  std::string id;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*size*/, void* result) {
        for (std::size_t n = 0; n < object->dlpi_phnum; ++n) {
          const ElfW(Phdr)& segment = object->dlpi_phdr[n];
          if (segment.p_type != PT_NOTE) continue;
          const auto* notes = reinterpret_cast<const std::byte*>(object->dlpi_addr + segment.p_vaddr);
          const std::size_t alignment = segment.p_align == 8 ? 8 : 4;
          if (find_build_id(notes, segment.p_memsz, alignment, *static_cast<std::string*>(result))) break;
        }
        return 1;  // the first object is the main program; the others do not matter
      },
      &id);
  return id;
}

std::string path_of_this_program() {
  return target_of_link("/proc/self/exe");
}

}  // namespace hocket::runtime::platform
