#include "snapshot.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../memory/heap.hpp"
#include "../memory/watched_pages.hpp"
#include "instrumented_objects.hpp"
#include "outer_maps.hpp"
#include "own_data.hpp"

namespace hocket::unmodified {

namespace {

/// From this number of bytes on, the pages of data are watched instead of copied each time: copying would
/// cost more than the page faults.
constexpr std::size_t kLarge = std::size_t{256} * 1024;

struct Piece {
  std::byte* begin;
  std::vector<std::byte> copy;
};

Piece copy_of(AddressRange range) {
  auto* const from = reinterpret_cast<std::byte*>(range.begin);
  return {from, {from, from + (range.end - range.begin)}};
}

/// The data that a library without instrumented code held before the first execution.
using Library = std::vector<Piece>;

/// A snapshot of the data when the search began.
struct Picture {
  std::vector<Piece> pieces;
  std::vector<WatchedPages*> large;
  std::vector<Library> libraries;  ///< libraries of which it is not yet known whether to restore them

  void add(AddressRange range);
  void decide_on_libraries();
  void put_back() const;
  /// Ends the search: restores everything.
  void forget();

 private:
  void add_small(std::uintptr_t begin, std::uintptr_t end);
  void put_back_small() const;
};

Picture& picture() {
  static auto* const the_picture = new Picture;
  return *the_picture;
}

/// Always returns the same object for the same memory, because a signal handler may access it at any time.
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

void Picture::add(AddressRange range) {
  if (range.end - range.begin < kLarge) return add_small(range.begin, range.end);
  const std::uintptr_t first =
      (range.begin + WatchedPages::kPage - 1) / WatchedPages::kPage * WatchedPages::kPage;
  const std::uintptr_t last = range.end / WatchedPages::kPage * WatchedPages::kPage;
  add_small(range.begin, first);
  large.push_back(&watched_pages(first, last - first));
  large.back()->begin(last - first);
  add_small(last, range.end);
}

void Picture::add_small(std::uintptr_t begin, std::uintptr_t end) {
  if (begin < end) pieces.push_back(copy_of({begin, end}));
}

void Picture::put_back_small() const {
  for (const Piece& piece : pieces) std::memcpy(piece.begin, piece.copy.data(), piece.copy.size());
}

void Picture::put_back() const {
  if (runtime::is_sabotaged(runtime::Sabotage::statics_stay_changed)) return;
  put_back_small();
  for (WatchedPages* const pages : large) pages->begin(pages->saved().size());
}

void Picture::forget() {
  put_back_small();
  for (WatchedPages* const pages : large) pages->forget();
  *this = {};
}

/// The program or a library that is loaded.
struct LoadedObject {
  std::string file;  ///< empty for the program
  bool takes_part;
  std::vector<AddressRange> data;
};

/// Whether it is one of the libraries that the process itself, and so the search, depends on. Those are left
/// alone.
bool carries_process(std::string_view file) {
  constexpr std::string_view kNames[] = {"ld-", "libc.", "libm.", "libpthread.", "libdl.", "librt.",
      "linux-vdso.", "libstdc++.", "libgcc_s.", "libatomic.", "libc++.", "libc++abi.", "libunwind."};
  file.remove_prefix(file.rfind('/') + 1);
  return std::any_of(
      std::begin(kNames), std::end(kNames), [file](std::string_view name) { return file.starts_with(name); });
}

/// The table (GOT) in which the loader records the addresses of functions of other objects when they are
/// first called.
AddressRange places_of_functions(const dl_phdr_info& object) {
  std::uintptr_t relocations = 0;
  std::size_t size = 0;
  for (std::size_t n = 0; n < object.dlpi_phnum; ++n) {
    if (object.dlpi_phdr[n].p_type != PT_DYNAMIC) continue;
    const std::uintptr_t table = object.dlpi_addr + object.dlpi_phdr[n].p_vaddr;
    for (const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(table); entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_JMPREL) relocations = entry->d_un.d_ptr;
      if (entry->d_tag == DT_PLTRELSZ) size = entry->d_un.d_val;
    }
  }
  if (relocations == 0 || size == 0) return {};
  if (relocations < object.dlpi_addr) relocations += object.dlpi_addr;  // not every loader relocates it
  AddressRange places{UINTPTR_MAX, 0};
  const auto* const first = reinterpret_cast<const ElfW(Rela)*>(relocations);
  for (const auto* one = first; one < first + size / sizeof *first; ++one) {
    places.begin = std::min<std::uintptr_t>(places.begin, object.dlpi_addr + one->r_offset);
    places.end = std::max<std::uintptr_t>(places.end, object.dlpi_addr + one->r_offset + sizeof(void*));
  }
  return places;
}

void add_without(std::span<const AddressRange> holes, AddressRange range, std::vector<AddressRange>& to) {
  if (holes.empty()) {
    if (range.begin < range.end) to.push_back(range);
    return;
  }
  const AddressRange& hole = holes.front();
  const auto rest = holes.subspan(1);
  if (hole.begin >= hole.end || hole.end <= range.begin || hole.begin >= range.end)
    return add_without(rest, range, to);
  add_without(rest, {range.begin, hole.begin}, to);
  add_without(rest, {hole.end, range.end}, to);
}

std::vector<AddressRange> data_of(const dl_phdr_info& object) {
  const std::array<AddressRange, 2> own = own_data();
  const std::array<AddressRange, 3> holes{own[0], own[1], places_of_functions(object)};
  // The beginning of the writable segment is what the loader made read-only after relocation.
  std::uintptr_t read_only_end = 0;
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  for (std::size_t n = 0; n < object.dlpi_phnum; ++n) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[n];
    if (segment.p_type == PT_GNU_RELRO)
      read_only_end = (object.dlpi_addr + segment.p_vaddr + segment.p_memsz) / page * page;
  }
  std::vector<AddressRange> data;
  for (std::size_t n = 0; n < object.dlpi_phnum; ++n) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[n];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    const std::uintptr_t end = begin + segment.p_memsz;
    add_without(holes, {std::clamp<std::uintptr_t>(read_only_end, begin, end), end}, data);
  }
  return data;
}

int add_object(dl_phdr_info* object, std::size_t /*size*/, void* objects) {
  if (carries_process(object->dlpi_name)) return 0;
  const bool is_program = object->dlpi_name[0] == '\0';
  static_cast<std::vector<LoadedObject>*>(objects)->push_back(
      {object->dlpi_name, is_program || is_instrumented(object->dlpi_addr), data_of(*object)});
  return 0;
}

/// Keeps a library loaded until the process ends, even if it is closed. Returns false if it is already gone.
bool keep_loaded(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  return library != nullptr && dlclose(library) == 0;
}

void take_picture() {
  std::vector<LoadedObject> objects;
  dl_iterate_phdr(&add_object, &objects);
  for (const LoadedObject& object : objects) {
    if (!object.file.empty() && !keep_loaded(object.file)) continue;
    if (!object.takes_part) picture().libraries.emplace_back();
    for (const AddressRange& range : object.data) {
      if (object.takes_part) {
        picture().add(range);
      } else {
        picture().libraries.back().push_back(copy_of(range));
      }
    }
  }
  for (const AddressRange& range : writable_outer_maps()) picture().add(range);
}

bool points_into_heap_of_bodies(const Piece& piece) {
  constexpr std::size_t kWord = sizeof(std::uintptr_t);
  for (std::size_t at = 0; at + kWord <= piece.copy.size(); at += kWord) {
    std::uintptr_t word = 0;
    std::memcpy(&word, piece.begin + at, kWord);
    if (Heap::contains(word)) return true;
  }
  return false;
}

// Other libraries are left alone: they may have done things that they do only once, such as loading another
// library.
void Picture::decide_on_libraries() {
  for (Library& library : libraries) {
    if (std::none_of(library.begin(), library.end(), points_into_heap_of_bodies)) continue;
    std::move(library.begin(), library.end(), std::back_inserter(pieces));
  }
  libraries.clear();
}

}  // namespace

void begin_with_fresh_data() {
  const runtime::OwnMemory own;
  if (is_data_saved()) {
    picture().decide_on_libraries();
    picture().put_back();
  } else {
    take_picture();
  }
}

bool is_data_saved() {
  return !picture().pieces.empty() || !picture().large.empty();
}

std::vector<SavedData> saved_data() {
  std::vector<SavedData> saved;
  for (const Piece& piece : picture().pieces)
    saved.push_back({reinterpret_cast<std::uintptr_t>(piece.begin), piece.copy});
  for (const WatchedPages* const pages : picture().large) saved.push_back({pages->address(), pages->saved()});
  return saved;
}

void forget_data() {
  const runtime::OwnMemory own;
  picture().forget();
}

}  // namespace hocket::unmodified
