// Ends the test program where Hocket allocates in the body's name, because an OwnMemory was forgotten. Linked
// into test programs; it is done while the environment variable CHECK_OWN_MEMORY_OF_HOCKET is set, since it
// looks at the calling stack of each allocation.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "runtime/execution/allocations.hpp"
#include "runtime/platform/symbols/call_site.hpp"
#include "runtime/platform/symbols/stack_frames.hpp"
#include "runtime/platform/symbols/user_code.hpp"

namespace hocket::test {

namespace {

using runtime::platform::StackFrame;

/// Whose code makes a call. That of a library says nothing about who wants the memory.
enum class Owner : unsigned char { unknown, library, body, hocket };

/// What allocates for the body: the replacements of functions that do so, and the hocket:: types, whose parts
/// are those of objects of the body.
constexpr std::array<std::string_view, 7> kForTheBody{"/interpose/unmodified/memory/",
    "/interpose/unmodified/libc/", "/interpose/unmodified/libstdcxx/", "/interpose/types/",
    "/runtime/execution/allocations.cpp", "/runtime/execution/allocations.hpp",
    "/tests/support/own_memory_check.cpp"};
constexpr std::array<std::string_view, 4> kFoldersOfHocket{
    "/runtime/", "/scheduler/", "/model/", "/interpose/"};

bool contains_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
      [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

Owner owner_of(const StackFrame& frame) {
  const std::string file = std::filesystem::path(frame.file).lexically_normal();
  if (file.empty() || contains_any(file, kForTheBody)) return Owner::library;
  if (runtime::platform::holds_user_code(file)) return Owner::body;
  return contains_any(file, kFoldersOfHocket) ? Owner::hocket : Owner::library;
}

/// The innermost function at a return address that is not a library's, if there is one.
StackFrame find_frame(std::uintptr_t return_address) {
  for (StackFrame& frame : runtime::platform::frames_of(std::span(&return_address, 1))) {
    if (owner_of(frame) != Owner::library) return std::move(frame);
  }
  return {};
}

/// What is known of return addresses. In shared memory, which no execution restores.
class KnownCalls {
 public:
  KnownCalls()
      : slots_(static_cast<Slot*>(mmap(
            nullptr, kSlots * sizeof(Slot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}

  Owner owner_of_call(std::uintptr_t return_address) {
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
    std::size_t at = return_address * kSpread >> 48U;
    while (slots_[at].address != 0 && slots_[at].address != return_address) at = (at + 1) % kSlots;
    Slot& slot = slots_[at];
    if (slot.owner == Owner::unknown) slot = {return_address, owner_of(find_frame(return_address))};
    return slot.owner;
  }

 private:
  struct Slot {
    std::uintptr_t address;
    Owner owner;
  };
  static constexpr std::size_t kSlots = std::size_t{1} << 16U;
  Slot* slots_;
};

KnownCalls* known_calls = nullptr;
int error_output = -1;  ///< of the process, where a search does not withhold it

void check() {
  const runtime::OwnMemory own;
  constexpr std::size_t kMost = 32;
  for (const std::uintptr_t return_address : runtime::platform::calling_stack(kMost)) {
    const Owner owner = known_calls->owner_of_call(return_address);
    if (owner == Owner::body) return;
    if (owner == Owner::library) continue;
    const StackFrame frame = find_frame(return_address);
    dprintf(error_output, "An OwnMemory was forgotten: %s at %s:%u allocates in the body's name.\n",
        frame.function.c_str(), frame.file.c_str(), frame.line);
    std::abort();
  }
}

[[maybe_unused]] const bool is_set = [] {
  if (std::getenv("CHECK_OWN_MEMORY_OF_HOCKET") == nullptr) return false;
  known_calls = new KnownCalls;
  error_output = dup(STDERR_FILENO);
  runtime::on_allocation_of_body = &check;
  return true;
}();

}  // namespace

}  // namespace hocket::test
