#include <hocket/interpose/unmodified/snapshot.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <link.h>
#include <unistd.h>

#include <hocket/interpose/unmodified/own_data.hpp>
#include <hocket/interpose/unmodified/watched_pages.hpp>
#include <hocket/runtime/allocations.hpp>
#include <hocket/runtime/platform/loaded_images.hpp>

namespace hocket::unmodified {

namespace {

/// Bytes of data from which on its pages are watched instead of copied each time, which costs
/// more from there on than the faults do.
constexpr std::size_t kLarge = std::size_t{256} * 1024;

struct Piece {
  std::byte* begin;
  std::vector<std::byte> copy;
};

/// What was where when the search began.
struct Picture {
  std::vector<Piece> pieces;
  std::vector<WatchedPages*> large;

  void add(std::uintptr_t begin, std::uintptr_t end);
  void put_back() const;
  /// The search is over: puts everything back.
  void forget();
  /// The memory is gone.
  void abandon();

 private:
  void add_small(std::uintptr_t begin, std::uintptr_t end);
  void put_back_small() const;
};

struct Pictures {
  Picture program;
  Picture libraries;
  unsigned long long unloads = 0;  ///< of libraries, when the pictures were taken
};

Pictures& pictures() {
  static auto* const all = new Pictures;
  return *all;
}

/// Always the same for the same memory, since a signal's handler may look at it at any time.
WatchedPages& watched_pages(std::uintptr_t begin, std::size_t size) {
  struct Known {
    WatchedPages* pages;
    std::size_t size;
  };
  static auto* const known = new std::vector<Known>;
  for (const Known& one : *known) {
    if (one.pages->address() == begin && one.size == size) return *one.pages;
  }
  known->push_back({new WatchedPages(begin, size), size});
  return *known->back().pages;
}

void Picture::add(std::uintptr_t begin, std::uintptr_t end) {
  for (const AddressRange& hole : own_data()) {
    if (hole.begin == hole.end || hole.end <= begin || hole.begin >= end) continue;
    if (hole.begin > begin) add(begin, hole.begin);
    begin = std::min(end, hole.end);
  }
  if (end - begin < kLarge) return add_small(begin, end);
  const std::uintptr_t first = (begin + WatchedPages::kPage - 1) / WatchedPages::kPage * WatchedPages::kPage;
  const std::uintptr_t last = end / WatchedPages::kPage * WatchedPages::kPage;
  add_small(begin, first);
  large.push_back(&watched_pages(first, last - first));
  large.back()->begin(last - first);
  add_small(last, end);
}

void Picture::add_small(std::uintptr_t begin, std::uintptr_t end) {
  if (begin == end) return;
  auto* const from = reinterpret_cast<std::byte*>(begin);
  pieces.push_back({from, {from, from + (end - begin)}});
}

void Picture::put_back_small() const {
  for (const Piece& piece : pieces) std::memcpy(piece.begin, piece.copy.data(), piece.copy.size());
}

void Picture::put_back() const {
  put_back_small();
  for (WatchedPages* const pages : large) pages->begin(pages->saved().size());
}

void Picture::forget() {
  put_back_small();
  for (WatchedPages* const pages : large) pages->forget();
  *this = {};
}

void Picture::abandon() {
  for (WatchedPages* const pages : large) pages->abandon();
  *this = {};
}

bool is_main_program(const dl_phdr_info& object) {
  return object.dlpi_name[0] == '\0';
}

void add_data_of(const dl_phdr_info& object, Picture& picture) {
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
    picture.add(writable, end);
  }
}

/// The data of the system's libraries is left alone: they serve those who run the search as well.
int add_object(dl_phdr_info* object, std::size_t /*size*/, void* /*argument*/) {
  if (is_main_program(*object)) {
    add_data_of(*object, pictures().program);
  } else if (!runtime::platform::is_of_system(object->dlpi_name)) {
    add_data_of(*object, pictures().libraries);
  }
  pictures().unloads = object->dlpi_subs;
  return 0;
}

int abandon_libraries_if_one_is_gone(dl_phdr_info* object, std::size_t /*size*/, void* /*argument*/) {
  if (object->dlpi_subs != pictures().unloads) pictures().libraries.abandon();
  return 1;
}

void look_for_libraries_that_are_gone() {
  const Picture& libraries = pictures().libraries;
  if (libraries.pieces.empty() && libraries.large.empty()) return;
  dl_iterate_phdr(&abandon_libraries_if_one_is_gone, nullptr);
}

}  // namespace

void begin_with_fresh_data() {
  const runtime::OwnMemory own;
  if (!is_data_saved()) {
    dl_iterate_phdr(&add_object, nullptr);
    return;
  }
  look_for_libraries_that_are_gone();
  pictures().libraries.put_back();
  pictures().program.put_back();
}

bool is_data_saved() {
  return !pictures().program.pieces.empty();
}

std::vector<SavedData> saved_data() {
  std::vector<SavedData> saved;
  for (const Picture* const picture : {&pictures().program, &pictures().libraries}) {
    for (const Piece& piece : picture->pieces)
      saved.push_back({reinterpret_cast<std::uintptr_t>(piece.begin), piece.copy});
    for (const WatchedPages* const pages : picture->large)
      saved.push_back({pages->address(), pages->saved()});
  }
  return saved;
}

void forget_data() {
  if (!is_data_saved()) return;
  const runtime::OwnMemory own;
  look_for_libraries_that_are_gone();
  pictures().libraries.forget();
  pictures().program.forget();
}

}  // namespace hocket::unmodified
