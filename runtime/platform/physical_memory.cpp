#include "physical_memory.hpp"

#include <unistd.h>

namespace hocket::runtime::platform {

std::size_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  constexpr std::size_t kIfUnknown = std::size_t{4} << 30U;
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                               : kIfUnknown;
}

}  // namespace hocket::runtime::platform
