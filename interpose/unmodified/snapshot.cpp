#include <hocket/interpose/unmodified/snapshot.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <link.h>
#include <unistd.h>

#include <hocket/interpose/unmodified/own_data.hpp>
#include <hocket/runtime/allocations.hpp>
#include <hocket/runtime/platform/loaded_images.hpp>

namespace hocket::unmodified {

namespace {

struct Piece {
  std::byte* begin;
  std::vector<std::byte> copy;
};

std::vector<Piece>& pieces() {
  static auto* const all = new std::vector<Piece>;
  return *all;
}

std::size_t pieces_of_program = 0;  ///< come first
unsigned long long unloads = 0;     ///< of libraries, up to the picture

bool is_main_program(const dl_phdr_info& object) {
  return object.dlpi_name[0] == '\0';
}

// Adds what lies between the two addresses and is not Hocket's own.
void add(std::uintptr_t begin, std::uintptr_t end) {
  for (const AddressRange& hole : own_data()) {
    if (hole.begin == hole.end || hole.end <= begin || hole.begin >= end) continue;
    if (hole.begin > begin) add(begin, hole.begin);
    begin = std::min(end, hole.end);
  }
  if (begin >= end) return;
  auto* const from = reinterpret_cast<std::byte*>(begin);
  pieces().push_back({from, {from, from + (end - begin)}});
}

void add_data_of(const dl_phdr_info& object) {
  // What the loader has made read-only after relocation begins the writable segment.
  std::uintptr_t read_only_end = 0;
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  for (std::size_t n = 0; n < object.dlpi_phnum; ++n) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[n];
    if (segment.p_type == PT_GNU_RELRO)
      read_only_end = (object.dlpi_addr + segment.p_vaddr + segment.p_memsz) / page * page;
  }
  for (std::size_t n = 0; n < object.dlpi_phnum; ++n) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[n];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    const std::uintptr_t end = begin + segment.p_memsz;
    const std::uintptr_t writable = std::clamp<std::uintptr_t>(read_only_end, begin, end);
    add(writable, end);
  }
}

/// The data of the system's libraries is left alone: they serve those who run the search as well.
int add_object(dl_phdr_info* object, std::size_t /*size*/, void* /*argument*/) {
  unloads = object->dlpi_subs;
  if (is_main_program(*object) || !runtime::platform::is_of_system(object->dlpi_name)) add_data_of(*object);
  if (is_main_program(*object)) pieces_of_program = pieces().size();
  return 0;
}

int forget_libraries_if_one_is_gone(dl_phdr_info* object, std::size_t /*size*/, void* /*argument*/) {
  if (object->dlpi_subs != unloads) pieces().resize(pieces_of_program);
  unloads = object->dlpi_subs;
  return 1;
}

void put_back() {
  if (pieces().size() > pieces_of_program) dl_iterate_phdr(&forget_libraries_if_one_is_gone, nullptr);
  for (const Piece& piece : pieces()) std::memcpy(piece.begin, piece.copy.data(), piece.copy.size());
}

}  // namespace

void begin_with_fresh_data() {
  const runtime::OwnMemory own;
  if (pieces().empty()) {
    dl_iterate_phdr(&add_object, nullptr);
  } else {
    put_back();
  }
}

std::vector<SavedData> saved_data() {
  std::vector<SavedData> saved;
  for (const Piece& piece : pieces())
    saved.push_back({reinterpret_cast<std::uintptr_t>(piece.begin), piece.copy});
  return saved;
}

void forget_data() {
  put_back();
  pieces().clear();
}

}  // namespace hocket::unmodified
