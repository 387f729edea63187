// Pieces of the program's memory as objects. Operations touch them in addition to their own objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "../../../runtime/objects/object.hpp"

namespace hocket::unmodified {

/// A piece of up to eight bytes.
struct MemoryPart : runtime::Object {
  /// `key`: a stable key that identifies the memory there and shows that this is such a piece.
  MemoryPart(std::uintptr_t address, std::uint32_t size, std::uint64_t key);
  std::uintptr_t address;
  std::uint32_t size;
};

/// ObjectKind::fingerprint of an object that consists of these bytes. For an atomic of a size that a machine
/// can read at once, it is the same as for a hocket::atomic.
std::uint64_t fingerprint_of_bytes(const void* bytes, std::size_t size);

/// The same for `size` bytes at `address`, from the states of the parts that hold them.
std::uint64_t fingerprint_from_parts(
    std::uintptr_t address, std::size_t size, std::span<const runtime::PartState> parts);

}  // namespace hocket::unmodified
