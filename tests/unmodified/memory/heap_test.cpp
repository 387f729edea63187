#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <malloc.h>

#include <hocket/hocket.hpp>

namespace {

hocket::Report explored(const std::function<void()>& body) {
  return hocket::explore("heap", body, {.max_preemptions = 1, .save_schedules = false});
}

/// The message of the heap error that the body makes, which is found without preemptions.
std::string heap_error_of(const std::function<void()>& body) {
  const hocket::Report report = explored(body);
  if (!report.failed()) {
    ADD_FAILURE() << report;
    return {};
  }
  const hocket::FoundFailure& failure = report.failures.front();
  EXPECT_EQ(failure.kind, hocket::runtime::FailureKind::heap_error) << report;
  EXPECT_EQ(failure.bound, 0U);
  return failure.message;
}

/// The same pointer, and the compiler knows nothing of it: it would see what is wrong and act on it.
template <class T>
T* hidden(T* pointer) {
  __asm__("" : "+r"(pointer));
  return pointer;
}

TEST(AHeapError, IsAnAccessToFreedMemoryWithBothPlacesNamed) {
  // The flag orders the two: there is no data race, only a wrong protocol.
  const std::string message = heap_error_of([] {
    std::atomic<int*> shared{new int(7)};
    std::thread owner([&] { delete shared.exchange(nullptr); });
    int* const seen = shared.load();
    owner.join();
    if (seen != nullptr) hocket::check(*hidden(seen) == 7, "");
  });
  EXPECT_TRUE(
      message.starts_with("main reads 4 bytes, byte 0 of a block of 4 bytes that main at heap_test.cpp:46 "
                          "allocated and thread 1 at heap_test.cpp:47 freed"))
      << message;
}

TEST(AHeapError, IsAnAccessOutsideABlock) {
  const std::string behind = heap_error_of([] {
    std::vector<int> three(3);
    std::thread([&] { hocket::check(*hidden(three.data() + 3) != 1, ""); }).join();
  });
  EXPECT_NE(behind.find("thread 1 reads 4 bytes, 0 bytes past the end of a block of 12 bytes that main"),
      std::string::npos)
      << behind;
  const std::string before = heap_error_of([] {
    auto* const block = static_cast<int*>(std::malloc(64));
    hocket::check(*hidden(hidden(block) - 1) != 1, "");
    std::free(block);
  });
  EXPECT_NE(before.find("main reads 4 bytes"), std::string::npos) << before;
}

TEST(AHeapError, IsABlockFreedTwiceOrNotAtItsBeginning) {
  const std::string twice = heap_error_of([] {
    void* const block = std::malloc(8);
    std::free(hidden(block));
    std::free(hidden(block));
  });
  EXPECT_NE(twice.find("main frees a block a second time"), std::string::npos) << twice;
  const std::string inside =
      // NOLINTNEXTLINE(bugprone-misplaced-pointer-arithmetic-in-alloc): what is tested
      heap_error_of([] { std::free(hidden(static_cast<char*>(std::malloc(64)) + 16)); });
  EXPECT_NE(inside.find("main frees memory that is not the beginning of a block"), std::string::npos)
      << inside;
}

TEST(TheHeap, ServesEveryWayToAllocate) {
  const hocket::Report report = explored([] {
    const auto is_aligned = [](const void* at, std::size_t to) {
      return reinterpret_cast<std::uintptr_t>(at) % to == 0;
    };
    auto* grown = static_cast<char*>(std::malloc(3));
    std::memcpy(grown, "ab", 3);
    grown = static_cast<char*>(std::realloc(grown, 3000));
    hocket::check(std::strcmp(grown, "ab") == 0, "realloc keeps what is there");
    hocket::check(malloc_usable_size(grown) >= 3000, "usable");
    std::free(grown);
    auto* const zero = static_cast<int*>(std::calloc(100, sizeof(int)));
    hocket::check(zero[99] == 0, "calloc clears");
    std::free(zero);
    void* aligned = nullptr;
    hocket::check(posix_memalign(&aligned, 256, 10) == 0 && is_aligned(aligned, 256), "posix_memalign");
    std::free(aligned);
    aligned = std::aligned_alloc(128, 256);
    hocket::check(is_aligned(aligned, 128), "aligned_alloc");
    std::free(aligned);
    struct alignas(512) Wide {
      char bytes[512];
    };
    const auto wide = std::make_unique<Wide>();
    hocket::check(is_aligned(wide.get(), 512), "aligned new");
    std::free(nullptr);
    void* volatile none = std::malloc(std::size_t{1} << 40U);  // Clang believes in one that is not used
    hocket::check(none == nullptr, "more than there is");
  });
  EXPECT_EQ(report.verdict, hocket::Verdict::passed_exhaustively) << report;
}

TEST(TheHeap, GivesTheSameAddressesInEveryExecution) {
  // On the stack of the test: what the program has allocated before the search is put back.
  std::array<void*, 100> addresses{};
  std::size_t count = 0;
  const hocket::Report report = explored([&] {
    std::thread other([] { std::free(std::malloc(100)); });
    void* const block = std::malloc(10);
    if (count < addresses.size()) addresses[count++] = block;
    std::free(block);
    other.join();
  });
  EXPECT_EQ(report.verdict, hocket::Verdict::passed_exhaustively) << report;
  ASSERT_GT(count, 1U);
  for (std::size_t n = 0; n < count; ++n) EXPECT_EQ(addresses[n], addresses[0]);
}

TEST(TheHeap, GivesTheSameAddressesWhenAFailingExecutionIsRecorded) {
  const hocket::Report report = explored([] {
    // What is noted of these is longer than a string holds in place.
    std::atomic<int> changed{0};
    int expected = 0;
    changed.compare_exchange_strong(expected, 1);
    std::thread other([] {
      std::atomic<std::atomic<int>*> pointer{nullptr};
      pointer = new std::atomic<int>(1);
      hocket::check(*pointer.load() == 0, "after a block that other code has allocated");
    });
    other.join();
  });
  ASSERT_EQ(report.verdict, hocket::Verdict::failed) << report;
  EXPECT_EQ(report.failures.at(0).message, "after a block that other code has allocated");
}

int global = 1;
std::vector<int> made_outside{1, 2, 3};

TEST(TheProgramsData, IsPutBackBeforeEachExecution) {
  const hocket::Report report = explored([] {
    static int called = 0;
    hocket::check(++called == 1, "a static begins anew");
    hocket::check(++global == 2, "a global begins anew");
    std::atomic<int> steps{0};
    std::thread a([&] { ++steps; });
    std::thread b([&] { ++steps; });
    a.join();
    b.join();
  });
  EXPECT_EQ(report.verdict, hocket::Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.executions, 2U);
  EXPECT_EQ(global, 1) << "also when the search is over";
  EXPECT_EQ(made_outside.size(), 3U);
}

constexpr std::size_t kMuch = std::size_t{256} << 20U;

TEST(AThread, MayAllocateGigabytesOneAfterTheOther) {
  const hocket::Report report = explored([] {
    for (int n = 0; n < 20; ++n) {  // 5 GiB
      auto* const block = static_cast<char*>(std::malloc(kMuch));
      hocket::check(block != nullptr, "there is memory, since the one before was freed");
      block[n] = 1;
      std::free(block);
    }
  });
  EXPECT_FALSE(report.failed()) << report;
}

TEST(AThread, IsToldThatItsAddressesAreUsedUpByWhatItHasFreed) {
  const hocket::Report report = explored([] {
    for (int n = 0; n < 257; ++n) std::free(hidden(std::malloc(kMuch)));
  });
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_EQ(report.failures[0].kind, hocket::runtime::FailureKind::misuse);
  EXPECT_EQ(report.failures[0].message.find("main has allocated 64 GiB in this execution"), 0U) << report;
  const hocket::Report next = explored([] { std::free(hidden(std::malloc(kMuch))); });
  EXPECT_FALSE(next.failed()) << "the next execution has them again: " << next;
}

}  // namespace
