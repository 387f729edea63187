// Ends the test program where Hocket allocates in the body's name, because an OwnMemory was forgotten. Linked
// into test programs; it is done while the environment variable HOCKET_CHECK_OWN_MEMORY is set, since it
// looks at the calling stack of each allocation.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/execution/allocations.hpp"
#include "runtime/platform/symbols/call_site.hpp"
#include "runtime/platform/symbols/stack_frames.hpp"
#include "runtime/platform/symbols/user_code.hpp"

namespace hocket::test {

namespace {

using runtime::platform::StackFrame;

/// Whose code makes a call: that of a library says nothing about who wants the memory.
enum class Owner : unsigned char { library, body, hocket };

/// What allocates for the body: the replacements of functions that do so, and the way of a call into them.
constexpr std::array<std::string_view, 7> kForTheBody{"/interpose/unmodified/memory/",
    "/interpose/unmodified/libc/", "/interpose/unmodified/libstdcxx/", "/interpose/types/memory.hpp",
    "/interpose/include/hocket/new_delete", "/runtime/execution/allocations.cpp",
    "/runtime/execution/allocations.hpp"};
constexpr std::array<std::string_view, 5> kFoldersOfHocket{
    "/runtime/", "/scheduler/", "/model/", "/interpose/", "/tests/support/own_memory_check.cpp"};

bool contains_any(std::string_view text, std::span<const std::string_view> parts) {
  for (const std::string_view part : parts) {
    if (text.find(part) != std::string_view::npos) return true;
  }
  return false;
}

Owner owner_of(const StackFrame& frame) {
  if (frame.file.empty()) return Owner::library;
  if (runtime::platform::holds_user_code(frame.file)) return Owner::body;
  const bool is_for_the_body =
      frame.file.ends_with("own_memory_check.cpp") || contains_any(frame.file, kForTheBody);
  return !is_for_the_body && contains_any(frame.file, kFoldersOfHocket) ? Owner::hocket : Owner::library;
}

struct Call {
  Owner owner = Owner::library;
  std::string place;
};

/// The innermost function at the return address that is not a library's, or the outermost one.
const Call& call_at(std::uintptr_t return_address) {
  static auto* const known = new std::unordered_map<std::uintptr_t, Call>;
  const auto [place, is_new] = known->try_emplace(return_address);
  if (!is_new) return place->second;
  for (const StackFrame& frame : runtime::platform::frames_of(std::span(&return_address, 1))) {
    place->second = {
        owner_of(frame), frame.function + " at " + frame.file + ":" + std::to_string(frame.line)};
    if (place->second.owner != Owner::library) break;
  }
  return place->second;
}

void check() {
  const runtime::OwnMemory own;
  constexpr std::size_t kMost = 32;
  for (const std::uintptr_t return_address : runtime::platform::calling_stack(kMost)) {
    const Call& call = call_at(return_address);
    if (call.owner == Owner::body) return;
    if (call.owner == Owner::library) continue;
    std::fprintf(
        stderr, "An OwnMemory was forgotten: %s allocates in the body's name.\n", call.place.c_str());
    std::abort();
  }
}

[[maybe_unused]] const bool is_set = [] {
  if (std::getenv("HOCKET_CHECK_OWN_MEMORY") != nullptr) runtime::on_allocation_of_body = &check;
  return true;
}();

}  // namespace

}  // namespace hocket::test
