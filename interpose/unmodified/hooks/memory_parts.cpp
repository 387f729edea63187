#include "memory_parts.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "../../../runtime/execution/step.hpp"

namespace hocket::unmodified {

namespace {

using runtime::Object;

std::uint64_t bytes_of(const Object& object) {
  const auto& part = static_cast<const MemoryPart&>(object);
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, reinterpret_cast<const void*>(part.address), part.size);
  return bytes;
}

constexpr runtime::ObjectKind kPartKind{"memory", [](const Object&) -> void* { return nullptr; },
    [](Object&, const void*) {}, [](void*) {}, &bytes_of};

}  // namespace

MemoryPart::MemoryPart(std::uintptr_t the_address, std::uint32_t the_size, std::uint64_t the_key)
    : Object(kPartKind, runtime::FoundAt{the_key}), address(the_address), size(the_size) {}

std::uint64_t fingerprint_of_bytes(const void* bytes, std::size_t size) {
  std::uint64_t fingerprint = 0;
  for (std::size_t done = 0; done < size || done == 0; done += sizeof fingerprint) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char*>(bytes) + done, std::min(sizeof word, size - done));
    fingerprint = done == 0 ? word : runtime::mix(fingerprint, word);
  }
  return fingerprint;
}

std::uint64_t fingerprint_from_parts(
    std::uintptr_t address, std::size_t size, std::span<const runtime::PartState> parts) {
  std::vector<char> bytes(size);
  for (const runtime::PartState& known : parts) {
    const auto& part = static_cast<const MemoryPart&>(*known.part);
    const std::uintptr_t begin = std::max(address, part.address);
    const std::uintptr_t end = std::min(address + size, part.address + part.size);
    if (begin >= end) continue;
    const char* const from = reinterpret_cast<const char*>(&known.state) + (begin - part.address);
    std::memcpy(bytes.data() + (begin - address), from, end - begin);
  }
  return fingerprint_of_bytes(bytes.data(), size);
}

}  // namespace hocket::unmodified
