#include <hocket/interpose/unmodified/system_library.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <dlfcn.h>
#include <link.h>

#include <hocket/interpose/unmodified/real.hpp>

namespace hocket::unmodified {

namespace {

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// libc and the loader.
struct SystemLibraries {
  std::array<Range, 4> ranges{};
  std::size_t count = 0;
};

constinit SystemLibraries system_libraries;

}  // namespace

void find_system_libraries() {
  system_libraries.count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*size*/, void* result) {
        const std::string_view path = object->dlpi_name;
        const std::string_view file = path.substr(path.rfind('/') + 1);
        auto& it = *static_cast<SystemLibraries*>(result);
        const bool is_system =
            file.starts_with("libc.") || file.starts_with("libc-") || file.starts_with("ld-");
        if (!is_system || it.count == it.ranges.size()) return 0;
        Range range{~std::uintptr_t{0}, 0};
        for (std::size_t n = 0; n < object->dlpi_phnum; ++n) {
          const ElfW(Phdr)& segment = object->dlpi_phdr[n];
          if (segment.p_type != PT_LOAD) continue;
          const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
          range.begin = std::min<std::uintptr_t>(range.begin, begin);
          range.end = std::max<std::uintptr_t>(range.end, begin + segment.p_memsz);
        }
        it.ranges[it.count++] = range;
        return 0;
      },
      &system_libraries);
}

bool is_in_system_library(const void* code) {
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  for (std::size_t n = 0; n < system_libraries.count; ++n) {
    const Range& range = system_libraries.ranges[n];
    if (at >= range.begin && at < range.end) return true;
  }
  return false;
}

void* find_real(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "hocket: the system has no function %s, which this program uses\n", name);
    std::abort();
  }
  return found;
}

}  // namespace hocket::unmodified
