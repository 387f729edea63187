#include "system_library.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <dlfcn.h>
#include <link.h>

#include "next_symbol.hpp"

namespace hocket::unmodified {

namespace {

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

struct Libraries {
  std::array<Range, 4> ranges{};
  std::size_t count = 0;

  [[nodiscard]] bool contain(const void* code) const {
    const auto at = reinterpret_cast<std::uintptr_t>(code);
    for (std::size_t n = 0; n < count; ++n) {
      if (at >= ranges[n].begin && at < ranges[n].end) return true;
    }
    return false;
  }
};

struct Wanted {
  bool (*is_one)(std::string_view file);
  Libraries found{};
};

Libraries find_libraries(bool (*is_one)(std::string_view file)) {
  Wanted wanted{is_one};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*size*/, void* argument) {
        const std::string_view path = object->dlpi_name;
        auto& it = *static_cast<Wanted*>(argument);
        Libraries& found = it.found;
        if (!it.is_one(path.substr(path.rfind('/') + 1)) || found.count == found.ranges.size()) return 0;
        Range range{~std::uintptr_t{0}, 0};
        for (std::size_t n = 0; n < object->dlpi_phnum; ++n) {
          const ElfW(Phdr)& segment = object->dlpi_phdr[n];
          if (segment.p_type != PT_LOAD) continue;
          const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
          range.begin = std::min<std::uintptr_t>(range.begin, begin);
          range.end = std::max<std::uintptr_t>(range.end, begin + segment.p_memsz);
        }
        found.ranges[found.count++] = range;
        return 0;
      },
      &wanted);
  return wanted.found;
}

/// libc and the loader.
constinit Libraries system_libraries;

const Libraries cxx_libraries = find_libraries([](std::string_view file) {
  return file.starts_with("libstdc++.") || file.starts_with("libc++.") || file.starts_with("libc++abi.") ||
         file.starts_with("libgcc_s.") || file.starts_with("libunwind.");
});

}  // namespace

void find_system_libraries() {
  system_libraries = find_libraries([](std::string_view file) {
    return file.starts_with("libc.") || file.starts_with("libc-") || file.starts_with("ld-");
  });
}

bool is_in_system_library(const void* code) {
  return system_libraries.contain(code);
}

bool is_in_cxx_library(const void* code) {
  return cxx_libraries.contain(code);
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
