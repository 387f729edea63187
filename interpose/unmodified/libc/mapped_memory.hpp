// Memory that a body maps.
#pragma once

#include <cstddef>
#include <optional>

namespace hocket::unmodified {

/// A request for memory, with the arguments of mmap().
struct MapRequest {
  std::size_t size;
  int protection;
  int flags;
};

/// What mmap() is to return for a request of a body. No value if the system is to answer it: for files, for
/// memory that processes share, at a fixed address, and for very much.
std::optional<void*> map_for_body(const MapRequest& request);

/// What munmap() is to return. No value if the memory was not mapped by map_for_body().
std::optional<int> unmap_for_body(void* memory, std::size_t size);

}  // namespace hocket::unmodified
