// Memory that a body maps, as allocators do that ask the system themselves.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

constexpr std::size_t kPage = 4096;
constexpr int kOwn = MAP_PRIVATE | MAP_ANONYMOUS;

std::byte* map(std::size_t size) {
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, kOwn, -1, 0);
  check(memory != MAP_FAILED);
  return static_cast<std::byte*>(memory);
}

TEST(MappedMemory, IsEmptyAndAtTheSameAddressInEveryExecution) {
  Collected addresses;
  explored([&] {
    std::byte* const memory = map(3 * kPage - 1);
    const auto* const by_call =
        reinterpret_cast<std::byte*>(syscall(SYS_mmap, nullptr, kPage, PROT_READ | PROT_WRITE, kOwn, -1, 0));
    addresses.add(reinterpret_cast<std::uintptr_t>(memory));
    addresses.add(reinterpret_cast<std::uintptr_t>(by_call));
    for (std::size_t at = 0; at < 3 * kPage; at += kPage) {
      check(memory[at] == std::byte{0});
      memory[at] = std::byte{1};
    }
    check(*by_call == std::byte{0});
    two_steps();
  });
  EXPECT_EQ(addresses.all().size(), 2U);
  for (const std::uint64_t address : addresses.all()) EXPECT_EQ(address % kPage, 0U);
}

// Two threads that only read do the same in each order.
TEST(MappedMemory, HasNamesThatDoNotDependOnWhoUsesItFirst) {
  const auto body = [] {
    auto* const numbers = new (map(kPage)) std::atomic<int>[2] {};
    const auto read = [&] { check(numbers[0] + numbers[1] == 0); };
    in_parallel(read, read);
  };
  const Report report = explored(body);
  EXPECT_EQ(report.classes, 1U) << report;
  explored_everywhere(body);
}

TEST(MappedMemory, IsCheckedForDataRaces) {
  expect_failure(FailureKind::data_race, 0, "data race", [] {
    auto* const number = new (map(kPage)) int{0};
    in_parallel([&] { ++*number; }, [&] { ++*number; });
  });
}

TEST(MappedMemory, IsNotToBeUsedWhenItIsUnmapped) {
  expect_failure(FailureKind::heap_error, 0, "freed", [] {
    std::byte* const memory = map(2 * kPage);
    check(munmap(memory, 2 * kPage) == 0);
    memory[kPage] = std::byte{1};
  });
}

TEST(MappedMemory, StaysWhereAPartIsUnmapped) {
  explored([] {
    std::byte* const memory = map(3 * kPage);
    check(munmap(memory, kPage) == 0);
    check(munmap(memory + 2 * kPage, kPage) == 0);
    memory[kPage] = std::byte{1};
  });
}

TEST(MappedMemory, CanGrowAndShrink) {
  explored([] {
    std::byte* memory = map(kPage);
    memory[7] = std::byte{7};
    check(mremap(memory, kPage, 2 * kPage, 0) == MAP_FAILED && errno == ENOMEM);
    void* const moved = mremap(memory, kPage, 3 * kPage, MREMAP_MAYMOVE);
    check(moved != MAP_FAILED);
    memory = static_cast<std::byte*>(moved);
    check(memory[7] == std::byte{7});
    memory[3 * kPage - 1] = std::byte{1};
    check(mremap(memory, 3 * kPage, kPage, 0) == moved);
  });
}

TEST(MappedMemory, IsNotToBeUsedWhereItIsProtected) {
  expect_failure(FailureKind::heap_error, 0, "writes", [] {
    std::byte* const stack = map(2 * kPage);
    check(mprotect(stack, kPage, PROT_NONE) == 0);
    stack[kPage] = std::byte{1};
    stack[kPage - 1] = std::byte{1};
  });
  explored([] {
    std::byte* const memory = map(kPage);
    check(mprotect(memory, kPage, PROT_NONE) == 0);
    check(mprotect(memory, kPage, PROT_READ | PROT_WRITE) == 0);
    memory[0] = std::byte{1};
    two_steps();
  });
}

TEST(MappedMemory, OfAFileIsTheSystems) {
  explored([] {
    const int file = memfd_create("hocket", 0);
    check(file >= 0 && ftruncate(file, kPage) == 0);
    void* const memory = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    check(memory != MAP_FAILED);
    std::memcpy(memory, "shared", 6);
    char read_back[6] = {};
    check(pread(file, read_back, sizeof read_back, 0) == sizeof read_back);
    check(std::memcmp(read_back, "shared", sizeof read_back) == 0);
    check(munmap(memory, kPage) == 0);
    close(file);
  });
}

// --- Memory from before the search

alignas(kPage) std::array<std::byte, 2 * kPage> small_global{};
alignas(kPage) std::array<std::byte, 256 * kPage> large_global{};

TEST(MemoryMappedBeforeTheSearch, IsPutBackBeforeEachExecutionAsGlobalsAre) {
  std::byte* const small = map(kPage);
  std::byte* const large = map(256 * kPage);
  small[0] = std::byte{3};
  explored([=] {
    check(small[0] == std::byte{3} && large[100 * kPage] == std::byte{0});
    small[0] = large[100 * kPage] = std::byte{4};
    check(munmap(small, kPage) == 0, "and it is there again in the next execution");
    two_steps();
  });
  EXPECT_EQ(small[0], std::byte{3});
  munmap(large, 256 * kPage);
  munmap(small, kPage);
}

TEST(MemoryMappedBeforeTheSearch, ThatWasUnmappedBeforeItIsNotTouched) {
  std::byte* const memory = map(3 * kPage);
  munmap(memory + kPage, kPage);
  explored([=] {
    check(memory[2 * kPage] == std::byte{0});
    memory[2 * kPage] = std::byte{1};
    two_steps();
  });
  munmap(memory, 3 * kPage);
}

TEST(APageThatTheBodyLeavesReadOnly, CanBeWrittenInTheNextExecution) {
  std::byte* const mapped = map(kPage);
  auto* const block = static_cast<std::byte*>(std::aligned_alloc(kPage, kPage));
  block[0] = std::byte{0};
  explored([=] {
    for (std::byte* const page : {small_global.data(), large_global.data() + 100 * kPage, mapped, block}) {
      check(page[0] == std::byte{0});
      page[0] = std::byte{1};
      check(mprotect(page, kPage, PROT_READ) == 0);
    }
    two_steps();
  });
  std::free(block);
  munmap(mapped, kPage);
}

}  // namespace

}  // namespace unmodified
