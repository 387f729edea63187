// The stacks of threads, which are as large as code expects them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <semaphore>
#include <thread>

#include <pthread.h>
#include <sys/mman.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

thread_local volatile char* volatile anywhere = nullptr;

char use_a_large_array() {
  std::array<volatile char, std::size_t{4} << 20U> large;
  anywhere = large.data();  // else a compiler keeps the two that are used
  large.front() = 1;
  large.back() = 2;
  return static_cast<char>(large.front() + large.back());
}

TEST(TheStackOfAThread, HasRoomForArraysOfMegabytes) {
  explored([] {
    in_parallel([] { check(use_a_large_array() == 3); }, [] { check(use_a_large_array() == 3); });
    check(use_a_large_array() == 3);
  });
}

TEST(TheStackOfAThreadDeathTest, ThatIsTooSmallForALargeArrayIsToldOf) {
  EXPECT_DEATH(
      report_of(exhaustively({.stack_size = std::size_t{1} << 20U}), [] { check(use_a_large_array() == 3); }),
      "stack overflow in a logical thread");
}

/// Where pthread_getattr_np() says that the stack of the thread is.
struct Limits {
  std::uintptr_t begin = 0;
  std::size_t size = 0;

  [[nodiscard]] bool contain(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - begin < size;
  }
};
Limits limits_of(pthread_t thread) {
  pthread_attr_t attributes;
  check(pthread_getattr_np(thread, &attributes) == 0, "they are known");
  Limits limits;
  void* begin = nullptr;
  check(pthread_attr_getstack(&attributes, &begin, &limits.size) == 0, "with the stack");
  limits.begin = reinterpret_cast<std::uintptr_t>(begin);
  pthread_attr_destroy(&attributes);
  return limits;
}

TEST(TheStackOfAThread, IsWhatItsAttributesSay) {
  explored([] {
    const int mine = 0;
    check(limits_of(pthread_self()).contain(&mine), "of the body's own thread");
    pthread_t other{};
    std::binary_semaphore is_known{0};
    std::thread thread([&] {
      const int its = 0;
      check(limits_of(pthread_self()).contain(&its), "of another one");
      other = pthread_self();
      is_known.release();
    });
    is_known.acquire();
    check(!limits_of(other).contain(&mine), "whose stack this is not");
    check(limits_of(other).size >= std::size_t{8} << 20U, "it is as large as was asked for");
    thread.join();
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t detached{};
    pthread_create(
        &detached, &attributes, [](void* nothing) { return nothing; }, nullptr);
    pthread_getattr_np(detached, &attributes);
    int state = 0;
    pthread_attr_getdetachstate(&attributes, &state);
    check(state == PTHREAD_CREATE_DETACHED, "the thread is detached");
  });
}

// As libraries do that have many threads which wait for long.
TEST(TheStackOfAThread, CanGiveBackWhatItDoesNotUse) {
  const auto give_back = [] {
    const int here = 0;
    const Limits limits = limits_of(pthread_self());
    constexpr std::uintptr_t kSizeOfPage = 4096;
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(&here) - 1024) / kSizeOfPage * kSizeOfPage;
    check(end > limits.begin, "there is some");
    check(madvise(reinterpret_cast<void*>(limits.begin), end - limits.begin, MADV_DONTNEED) == 0, "it goes");
    check(use_a_large_array() == 3, "and comes again");
  };
  explored([&] {
    give_back();
    in_parallel(give_back, [&] {
      give_back();
      two_steps();
    });
  });
}

}  // namespace

}  // namespace unmodified
