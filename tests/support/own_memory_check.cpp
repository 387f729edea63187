// It looks at the calling stack of allocations that are made in the body's name. Test programs that do not
// ask for it themselves do so while the environment variable CHECK_OWN_MEMORY_OF_HOCKET is set.
#include "own_memory_check.hpp"

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

#include <gtest/gtest.h>

#include "runtime/execution/allocations.hpp"
#include "runtime/platform/symbols/call_site.hpp"
#include "runtime/platform/symbols/stack_frames.hpp"
#include "runtime/platform/symbols/user_code.hpp"

#include "tests/support/effort.hpp"

namespace hocket::test {

namespace {

using runtime::platform::StackFrame;

/// Whose code makes a call. That of a library says nothing about who wants the memory.
enum class Owner : unsigned char { unknown, library, body, hocket };

/// What allocates for the body: the replacements of functions that do so, and the hocket:: types, whose parts
/// are those of objects of the body. And what walks over the stack for this check.
constexpr std::array<std::string_view, 8> kForTheBody{"/runtime/platform/symbols/",
    "/interpose/unmodified/memory/", "/interpose/unmodified/libc/", "/interpose/unmodified/libstdcxx/",
    "/interpose/types/", "/runtime/execution/allocations.cpp", "/runtime/execution/allocations.hpp",
    "/tests/support/own_memory_check.cpp"};
constexpr std::array<std::string_view, 4> kFoldersOfHocket{
    "/runtime/", "/scheduler/", "/model/", "/interpose/"};

bool contains_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
      [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

/// The same by the linker's name of the function, for what has no debug information, as Hocket's library
/// often has none. Rooms cannot be told by names, so what replaces functions of the system is not looked at.
Owner owner_of_function(std::string_view linker_name) {
  constexpr std::array<std::string_view, 2> kOfHocket{"_ZN6hocket", "_ZNK6hocket"};
  constexpr std::array<std::string_view, 6> kNotLookedAt{"7runtime8platform", "10unmodified", "4test",
      "7runtime14note_allocated", "15note_allocation", "6detail"};
  for (const std::string_view prefix : kOfHocket) {
    if (!linker_name.starts_with(prefix)) continue;
    linker_name.remove_prefix(prefix.size());
    const auto begins = [&](std::string_view name) { return linker_name.starts_with(name); };
    return std::any_of(kNotLookedAt.begin(), kNotLookedAt.end(), begins) ? Owner::library : Owner::hocket;
  }
  return Owner::library;
}

Owner owner_of(const StackFrame& frame) {
  const std::string file = std::filesystem::path(frame.file).lexically_normal();
  if (file.empty() || contains_any(file, kForTheBody)) return Owner::library;
  if (runtime::platform::holds_user_code(file)) return Owner::body;
  return contains_any(file, kFoldersOfHocket) ? Owner::hocket : Owner::library;
}

struct Caller {
  Owner owner = Owner::library;
  std::string function;
};

/// The innermost function at a return address that is not a library's, if there is one.
Caller caller_at(std::uintptr_t return_address) {
  bool is_described = false;
  for (const StackFrame& frame : runtime::platform::frames_of(std::span(&return_address, 1))) {
    is_described |= !frame.file.empty();
    const Owner owner = owner_of(frame);
    if (owner != Owner::library)
      return {owner, frame.function + " at " + frame.file + ":" + std::to_string(frame.line)};
  }
  if (is_described) return {};
  const std::string_view name =
      runtime::platform::function_with(reinterpret_cast<const void*>(return_address));
  return {owner_of_function(name), std::string(name)};
}

/// What is known of return addresses, and how often was asked. In a file: other memory of the program is put
/// back before each execution, and so are files of at most a MiB.
class KnownCalls {
 public:
  KnownCalls() {
    static_assert(sizeof(Kept) > std::size_t{1} << 20U);
    const int file = memfd_create("known calls", MFD_CLOEXEC);
    void* const memory = ftruncate(file, sizeof(Kept)) == 0
                             ? mmap(nullptr, sizeof(Kept), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                             : MAP_FAILED;
    if (memory == MAP_FAILED) {
      perror("No memory for the check of OwnMemory");
      std::abort();
    }
    close(file);
    kept_ = static_cast<Kept*>(memory);
  }

  Owner owner_of_call(std::uintptr_t return_address) {
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
    std::size_t at = return_address * kSpread >> 48U;
    while (kept_->slots[at].address != 0 && kept_->slots[at].address != return_address)
      at = (at + 1) % kSlots;
    Slot& slot = kept_->slots[at];
    if (slot.owner == Owner::unknown) slot = {return_address, caller_at(return_address).owner};
    return slot.owner;
  }

  unsigned next_allocation() { return kept_->allocations++; }
  [[nodiscard]] unsigned allocations() const { return kept_->allocations; }
  void count_allocations_anew() { kept_->allocations = 0; }

 private:
  struct Slot {
    std::uintptr_t address;
    Owner owner;
  };
  static constexpr std::size_t kSlots = std::size_t{1} << 16U;
  struct Kept {
    Slot slots[kSlots];
    unsigned allocations;
  };
  Kept* kept_ = nullptr;
};

KnownCalls* known_calls = nullptr;
int error_output = -1;  ///< of the process, where a search does not withhold it

/// Walking over the stack takes longer than the rest of an execution, and the executions of one test allocate
/// in the same places again and again: the first allocations of each test are looked at, and some of the
/// others. The nightly build looks at all.
bool is_looked_at() {
  constexpr unsigned kFirst = 4'000;
  constexpr unsigned kOneOf = 64;
  const unsigned number = known_calls->next_allocation();
  return kRunsAllTests || number < kFirst || number % kOneOf == 0;
}

class CountsFromEachTest : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& /*test*/) override { known_calls->count_allocations_anew(); }
};

void check() {
  const runtime::OwnMemory own;
  if (!is_looked_at()) return;
  constexpr std::size_t kMost = 32;
  for (const std::uintptr_t return_address : runtime::platform::calling_stack(kMost)) {
    const Owner owner = known_calls->owner_of_call(return_address);
    if (owner == Owner::body) return;
    if (owner == Owner::library) continue;
    dprintf(error_output, "An OwnMemory was forgotten: %s allocates in the body's name.\n",
        caller_at(return_address).function.c_str());
    std::abort();
  }
}

[[maybe_unused]] const bool is_asked_for = [] {
  const bool is_set = std::getenv("CHECK_OWN_MEMORY_OF_HOCKET") != nullptr;
  if (is_set) end_where_own_memory_is_forgotten();
  return is_set;
}();

}  // namespace

void end_where_own_memory_is_forgotten() {
  if (known_calls != nullptr) return;
  known_calls = new KnownCalls;
  error_output = dup(STDERR_FILENO);
  ::testing::UnitTest::GetInstance()->listeners().Append(new CountsFromEachTest);
  runtime::on_allocation_of_body = &check;
}

unsigned allocations_of_bodies() {
  return known_calls == nullptr ? 0 : known_calls->allocations();
}

}  // namespace hocket::test
