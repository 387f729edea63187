// malloc and its like in a body: blocks at the same addresses in every execution, usable as the system's.
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>

#include <malloc.h>
#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

bool is_aligned(const void* memory, std::size_t alignment) {
  return memory != nullptr && reinterpret_cast<std::uintptr_t>(memory) % alignment == 0;
}

/// Not known to the compiler, which would otherwise warn of absurd sizes.
std::size_t as_it_is(std::size_t size) {
  static volatile std::size_t known;
  known = size;
  return known;
}

/// Clang believes that calloc() always succeeds where its result is not used, and never changes errno.
[[gnu::noinline]] int error_now() {
  return errno;
}

void allocate_in_every_way() {
  const auto use = [](void* memory, std::size_t size, std::size_t alignment) {
    check(is_aligned(memory, alignment));
    check(malloc_usable_size(memory) >= size);
    std::memset(memory, 1, size);
    std::free(memory);
  };
  use(std::malloc(10), 10, 16);
  use(std::aligned_alloc(64, 128), 128, 64);
  use(memalign(256, 10), 10, 256);
  use(valloc(10), 10, static_cast<std::size_t>(getpagesize()));
  void* memory = nullptr;
  check(posix_memalign(&memory, 128, 10) == 0);
  use(memory, 10, 128);
  check(posix_memalign(&memory, 3, 10) == EINVAL);

  auto* zeroes = static_cast<unsigned char*>(std::calloc(3, 5));
  for (int n = 0; n < 15; ++n) check(zeroes[n] == 0);
  zeroes[14] = 7;
  auto* grown = static_cast<unsigned char*>(std::realloc(zeroes, 1000));
  check(grown[14] == 7);
  grown = static_cast<unsigned char*>(reallocarray(grown, 5, 4));
  check(grown[14] == 7);
  check(std::realloc(grown, as_it_is(0)) == nullptr);
  use(std::realloc(nullptr, 20), 20, 16);

  const std::size_t most = as_it_is(std::numeric_limits<std::size_t>::max());
  errno = 0;
  void* volatile none = std::calloc(most, 2);
  check(none == nullptr && error_now() == ENOMEM);
  errno = 0;
  check(reallocarray(nullptr, most, 2) == nullptr && errno == ENOMEM);
  std::free(nullptr);
  check(malloc_usable_size(nullptr) == 0);
}

TEST(AnAllocation, WorksInEveryWayInABodyAndOutside) {
  explored(&allocate_in_every_way);
  allocate_in_every_way();
}

TEST(AnAllocation, ThatIsTooLargeFailsAsTheSystemsDoes) {
  explored([] {
    errno = 0;
    void* volatile memory = std::malloc(as_it_is(std::size_t{1} << 40U));
    check(memory == nullptr && error_now() == ENOMEM);
    bool is_thrown = false;
    try {
      memory = ::operator new(as_it_is(std::size_t{1} << 40U));
    } catch (const std::bad_alloc&) {
      is_thrown = true;
    }
    check(is_thrown);
  });
}

TEST(AnAllocation, HasTheSameAddressUnderEverySchedule) {
  const void* first = nullptr;
  const void* of_thread = nullptr;
  const Report report = explored([&] {
    const auto block = std::make_unique<int>(1);
    std::atomic<int> n{0};
    const void* seen = nullptr;
    const auto allocate = [&] {
      n.fetch_add(1);
      const auto mine = std::make_unique<std::string>(100, 'x');
      seen = mine.get();
      n.fetch_add(1);
    };
    in_parallel(allocate, [&] { n.fetch_add(2); });
    check(first == nullptr || (first == block.get() && of_thread == seen), "another address");
    first = block.get();
    of_thread = seen;
  });
  EXPECT_EQ(report.classes, 3U);
}

TEST(AnAllocation, MadeInsideAndFreedOutsideIsNoError) {
  void* left = nullptr;
  explored([&] { left = std::malloc(100); });
  std::free(left);  // the body's heap is gone with the body
}

TEST(AnAllocation, OfAnEarlierExecutionIsNotThereAnyMore) {
  auto outer = std::make_unique<std::string>(100, 'x');
  expect_failure(FailureKind::heap_error, 0, "it belonged to an earlier execution", [&] {
    *outer += "y";
    outer = std::make_unique<std::string>(100, 'x');
  });
  static_cast<void>(outer.release());
}

TEST(AnAlignedNew, IsAligned) {
  explored([] {
    struct alignas(128) Line {
      int value = 0;
    };
    const auto lines = std::make_unique<Line[]>(3);
    check(is_aligned(lines.get(), 128));
    const auto line = std::make_unique<Line>();
    check(is_aligned(line.get(), 128));
  });
}

}  // namespace

}  // namespace unmodified
