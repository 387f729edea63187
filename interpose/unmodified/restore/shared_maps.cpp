#include "shared_maps.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../runtime/diagnosis/untracked_calls.hpp"
#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/step.hpp"
#include "../../../runtime/platform/spin_lock.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "kept_states.hpp"
#include "own_data.hpp"

namespace hocket::unmodified {

namespace {

using runtime::mix;

struct File {
  dev_t device = 0;
  ino_t number = 0;  ///< 0: none

  bool operator==(const File&) const = default;
};

struct Map {
  AddressRange range;
  File file;
  MappedFile request{};     ///< of size 0 for a semaphore
  std::uint64_t owner = 0;  ///< names the file, or what has none
  unsigned times = 1;       ///< how often the body has mapped it and not unmapped it; 0: see unmap_shared()
  bool is_of_body = false;
  bool is_elsewhere_too = false;  ///< a part of it is mapped at other addresses
};

struct Copy {
  bool is_file;  ///< otherwise it is put back with the program's data, unless a child process may have
                 ///< changed it
  std::uintptr_t address;
  std::vector<std::byte> bytes;
};

/// The path of a file, or of a folder with a slash at the end, that is another one in each execution. Not the
/// number of the file: the system gives it to the next one when the file is gone.
struct RandomName {
  std::string path;
  bool is_of_body = false;

  [[nodiscard]] bool is_of(std::string_view file) const {
    return path.ends_with('/') ? file.starts_with(path) : file == path;
  }
};

struct SharedMaps {
  std::vector<Map> all;
  std::vector<RandomName> random_names;
  std::vector<std::byte> found;  ///< while they are compared
  std::vector<Copy> copies;
  std::uint64_t made_outside = 0;
  std::array<std::uint64_t, runtime::kMaxThreads> made_by{};  ///< in this execution, for each thread
};

// Not a local static: a body may be the first to call this, and the guard would then be the body's.
constinit SharedMaps* only = nullptr;

/// A lock is needed because threads that are not controlled may map memory at any time.
using Lock = runtime::platform::SpinLock<SharedMaps>;

SharedMaps& maps() {
  if (only == nullptr) only = new SharedMaps;
  return *only;
}

AddressRange range_of(const void* memory, std::size_t size) {
  constexpr std::uintptr_t kPage = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  return {begin, (begin + size + kPage - 1) / kPage * kPage};
}

bool overlap(AddressRange one, AddressRange other) {
  return one.begin < other.end && other.begin < one.end;
}

bool is_shared(const MappedFile& request) {
  return (static_cast<unsigned>(request.flags) & MAP_TYPE) != MAP_PRIVATE;
}

/// The part of the file.
AddressRange part_of(const Map& map) {
  const auto offset = static_cast<std::uintptr_t>(map.request.offset);
  return {offset, offset + (map.range.end - map.range.begin)};
}

File file_behind(int descriptor) {
  struct stat it {};
  const int user_errno = errno;
  const bool is_known = descriptor >= 0 && HOCKET_REAL(fstat)(descriptor, &it) == 0;
  errno = user_errno;
  return is_known ? File{it.st_dev, it.st_ino} : File{};
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = text.size();
  for (const char c : text) hash = mix(hash, static_cast<unsigned char>(c));
  return hash;
}

/// Empty if it has none.
std::string path_behind(int descriptor) {
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  char path[PATH_MAX];
  const int user_errno = errno;
  const ssize_t length = HOCKET_REAL(readlink)(link.c_str(), path, sizeof path);
  errno = user_errno;
  return {path, static_cast<std::size_t>(std::max(length, ssize_t{0}))};
}

/// A hash of the file's path. 0 if it has none that is the same in every execution.
std::uint64_t stable_path_of(int descriptor) {
  const std::string path = path_behind(descriptor);
  if (path.empty() || path.ends_with(" (deleted)")) return 0;
  const bool is_random = std::any_of(maps().random_names.begin(), maps().random_names.end(),
      [&](const RandomName& name) { return name.is_of(path); });
  return is_random ? 0 : hash_of(path);
}

std::uint64_t owner_of(const Map& map) {
  if (map.file != File{}) {
    for (const Map& other : maps().all) {
      if (other.file == map.file) return other.owner;
    }
    if (const std::uint64_t path = stable_path_of(map.request.descriptor); path != 0) return mix(1, path);
  }
  if (!map.is_of_body) return mix(2, ++maps().made_outside);
  const runtime::Thread& self = *runtime::run.current;
  return mix(mix(3, self.key), ++maps().made_by[self.index]);
}

/// What is seen through one address is changed through another, and no step tells.
void say_mapped_twice(const Map& map) {
  runtime::add_untracked_call({"mmap", "memory that is mapped at two addresses", map.request.caller});
}

void find_same_pages(Map& map) {
  if (map.file == File{}) return;  // such as private mappings, of which each has pages of its own
  const auto is_written = [](const Map& it) { return (it.request.protection & PROT_WRITE) != 0; };
  for (Map& other : maps().all) {
    if (other.file != map.file || other.times == 0 || !overlap(part_of(other), part_of(map))) continue;
    if (!is_written(map) && !is_written(other)) continue;
    map.is_elsewhere_too = other.is_elsewhere_too = true;
  }
}

/// What was mapped there is so no more.
void forget_in(AddressRange gone) {
  std::vector<Map> left;
  for (const Map& map : maps().all) {
    if (!overlap(map.range, gone)) {
      left.push_back(map);
      continue;
    }
    Map before = map;
    before.range.end = std::max(map.range.begin, gone.begin);
    Map after = map;
    after.range.begin = std::min(map.range.end, gone.end);
    after.request.offset += static_cast<off_t>(after.range.begin - map.range.begin);
    for (const Map& part : {before, after}) {
      if (part.range.begin < part.range.end) left.push_back(part);
    }
  }
  maps().all = std::move(left);
}

void add(Map map) {
  forget_in(map.range);
  map.owner = map.owner != 0 ? map.owner : owner_of(map);
  find_same_pages(map);
  if (map.is_elsewhere_too && map.is_of_body) {
    for (const Map& other : maps().all) {
      if (other.file == map.file && other.is_elsewhere_too) say_mapped_twice(other);
    }
    say_mapped_twice(map);
  }
  maps().all.push_back(map);
}

Map* find(std::uintptr_t address) {
  const auto found = std::find_if(
      only->all.begin(), only->all.end(), [address](const Map& map) { return map.range.contains(address); });
  return found == only->all.end() ? nullptr : &*found;
}

/// This process's memory, as a file.
class OwnMemoryFile {
 public:
  OwnMemoryFile() : descriptor_(HOCKET_REAL(open)("/proc/self/mem", O_RDWR | O_CLOEXEC)) {}
  ~OwnMemoryFile() { HOCKET_REAL(close)(descriptor_); }
  OwnMemoryFile(const OwnMemoryFile&) = delete;
  OwnMemoryFile& operator=(const OwnMemoryFile&) = delete;

  /// As much of it as can be read.
  void read(std::uintptr_t address, std::size_t size, std::vector<std::byte>& bytes) const {
    bytes.resize(size);
    const ssize_t count = HOCKET_REAL(pread)(descriptor_, bytes.data(), size, static_cast<off_t>(address));
    bytes.resize(static_cast<std::size_t>(std::max(count, ssize_t{0})));
  }
  void write(std::uintptr_t address, const std::vector<std::byte>& bytes) const {
    // What cannot be written now is behind the end of a file that the body has cut.
    [[maybe_unused]] const ssize_t count =
        HOCKET_REAL(pwrite)(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(address));
  }

 private:
  int descriptor_;
};

/// Whether it lies in memory from before the search, which the next execution needs.
bool is_needed_again(const Map& map) {
  return !map.is_of_body && is_to_be_undone();
}

}  // namespace

std::uint64_t stable_path_behind(int descriptor) {
  const runtime::OwnMemory own;
  const Lock lock;
  return stable_path_of(descriptor);
}

std::optional<void*> map_again(const MappedFile& file) {
  constexpr unsigned kFixed = MAP_FIXED | MAP_FIXED_NOREPLACE;
  if (only == nullptr || !is_shared(file) || (static_cast<unsigned>(file.flags) & kFixed) != 0) return {};
  const runtime::OwnMemory own;
  const Lock lock;
  const File wanted = file_behind(file.descriptor);
  if (wanted == File{}) return {};
  for (Map& map : maps().all) {
    const MappedFile& known = map.request;
    const bool is_it = map.is_of_body && map.file == wanted && known.size == file.size &&
                       known.protection == file.protection && known.flags == file.flags &&
                       known.offset == file.offset && map.range.end - map.range.begin >= file.size;
    if (!is_it) continue;
    void* const memory = reinterpret_cast<void*>(map.range.begin);
    if (map.times++ == 0) HOCKET_REAL(mprotect)(memory, file.size, file.protection);
    return memory;
  }
  return {};
}

void note_shared_map(void* memory, const MappedFile& file) {
  const runtime::OwnMemory own;
  const Lock lock;
  Map map;
  map.range = range_of(memory, file.size);
  map.request = file;
  map.is_of_body = runtime::is_controlled();
  // What is written to a private mapping is seen through no other.
  if (is_shared(file) && (static_cast<unsigned>(file.flags) & MAP_ANONYMOUS) == 0)
    map.file = file_behind(file.descriptor);
  add(map);
}

void note_moved_map(const void* before, void* memory, std::size_t size) {
  if (only == nullptr) return;
  const runtime::OwnMemory own;
  const Lock lock;
  const Map* const found = find(reinterpret_cast<std::uintptr_t>(before));
  if (found == nullptr) return;
  Map moved = *found;
  forget_in(moved.range);
  moved.range = range_of(memory, size);
  moved.request.size = size;
  add(moved);
}

void note_random_name(int descriptor) {
  if (descriptor < 0) return;
  const runtime::OwnMemory own;
  const Lock lock;
  maps().random_names.push_back({path_behind(descriptor), runtime::is_controlled()});
}

void note_random_folder(const char* path) {
  char full[PATH_MAX];
  if (HOCKET_REAL(realpath)(path, full) == nullptr) return;
  const runtime::OwnMemory own;
  const Lock lock;
  maps().random_names.push_back({std::string(full) + "/", runtime::is_controlled()});
}

void note_named_semaphore(const void* semaphore, std::size_t size, const char* name) {
  const runtime::OwnMemory own;
  const Lock lock;
  Map map;
  map.range = {
      reinterpret_cast<std::uintptr_t>(semaphore), reinterpret_cast<std::uintptr_t>(semaphore) + size};
  map.owner = mix(4, hash_of(name));
  map.is_of_body = runtime::is_controlled();
  add(map);
}

void forget_shared_map(const void* memory, std::size_t size) {
  if (only == nullptr) return;
  const runtime::OwnMemory own;
  const Lock lock;
  forget_in(range_of(memory, size));
}

std::optional<int> unmap_shared(void* memory, std::size_t size) {
  constexpr std::uintptr_t kPage = 4096;
  if (only == nullptr || size == 0 || reinterpret_cast<std::uintptr_t>(memory) % kPage != 0) return {};
  const runtime::OwnMemory own;
  const Lock lock;
  Map* const map = find(reinterpret_cast<std::uintptr_t>(memory));
  if (map == nullptr) return {};
  if (!map->is_of_body) {
    if (is_needed_again(*map)) return 0;
    forget_in(range_of(memory, size));
    return {};
  }
  const AddressRange gone = range_of(memory, size);
  const bool is_whole = gone.begin == map->range.begin && gone.end == map->range.end;
  if (!is_whole) return 0;
  // Another thread may map the file again, and what it does there is compared with what was done before.
  if (map->times > 0 && --map->times == 0) return HOCKET_REAL(mprotect)(memory, size, PROT_NONE);
  return 0;
}

bool is_shared_map_needed_again(const void* memory) {
  if (only == nullptr || !is_to_be_undone()) return false;
  const Lock lock;
  const Map* const map = find(reinterpret_cast<std::uintptr_t>(memory));
  return map != nullptr && !map->is_of_body;
}

std::vector<AddressRange> restored_shared_maps() {
  std::vector<AddressRange> ranges;
  if (only == nullptr) return ranges;
  for (const Copy& copy : maps().copies) ranges.push_back({copy.address, copy.address + copy.bytes.size()});
  return ranges;
}

std::uint64_t key_in_shared_map(std::uintptr_t address) {
  if (only == nullptr) return 0;
  const runtime::OwnMemory own;
  const Lock lock;
  const Map* const map = find(address);
  if (map == nullptr) return 0;
  if (map->is_elsewhere_too) {
    for (const Map& other : maps().all) {
      if (other.file == map->file && other.is_elsewhere_too) say_mapped_twice(other);
    }
  }
  return mix(map->owner, part_of(*map).begin + (address - map->range.begin));
}

// A part of a mapping may lie behind the end of its file. The system reports that where Hocket would crash.
void hold_shared_maps() {
  if (only == nullptr) return;
  const runtime::OwnMemory own;
  const Lock lock;
  constexpr std::size_t kMost = std::size_t{1} << 20U;  // comparing more before each execution takes long
  maps().copies.clear();
  const OwnMemoryFile memory;
  for (const Map& map : maps().all) {
    const std::size_t size = map.range.end - map.range.begin;
    constexpr int kBoth = PROT_READ | PROT_WRITE;
    if (map.request.size == 0 || !is_shared(map.request) || map.request.protection != kBoth || size > kMost)
      continue;
    memory.read(map.range.begin, size,
        maps().copies.emplace_back(Copy{map.file != File{}, map.range.begin, {}}).bytes);
  }
}

void begin_shared_maps(const runtime::ExecutionOptions& options) {
  if (only == nullptr) return;
  const runtime::OwnMemory own;
  maps().made_by = {};
  const bool needs_any = std::any_of(maps().copies.begin(), maps().copies.end(),
      [&](const Copy& copy) { return copy.is_file || options.own_process; });
  if (options.keeps_memory || !needs_any) return;
  const OwnMemoryFile memory;
  for (const Copy& copy : maps().copies) {
    if (!copy.is_file && !options.own_process) continue;
    memory.read(copy.address, copy.bytes.size(), maps().found);
    if (maps().found != copy.bytes) memory.write(copy.address, copy.bytes);
  }
}

void unmap_what_body_mapped(const runtime::ExecutionOptions& options) {
  if (only == nullptr) return;
  const runtime::OwnMemory own;
  const Lock lock;
  const bool is_given_back = is_to_be_given_back(options);
  std::erase_if(maps().all, [&](const Map& map) {
    if (!map.is_of_body || (map.times != 0 && !is_given_back)) return false;
    if (!options.own_process && map.request.size != 0)
      HOCKET_REAL(munmap)(reinterpret_cast<void*>(map.range.begin), map.range.end - map.range.begin);
    return true;
  });
  if (is_given_back)
    std::erase_if(maps().random_names, [](const RandomName& name) { return name.is_of_body; });
}

}  // namespace hocket::unmodified
