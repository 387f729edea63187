// The checks that compilers and libc make in what is compiled with -fstack-protector and _FORTIFY_SOURCE:
// this file is (tests/unmodified/CMakeLists.txt).
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using hocket::FailureKind;

std::array<char, 100> text;
volatile std::size_t hundred = text.size();
volatile char sink = 0;

void expect_overflow(const char* words, const std::function<void()>& write) {
  expect_failure(FailureKind::terminate, 0, words, [&] { in_parallel([&] { write(); }); });
}

TEST(ABufferOverflow, ThatTheCLibraryDetectsIsAFailureThatNamesTheFunction) {
  text.fill('a');
  text.back() = 0;
  expect_overflow("buffer overflow detected: memcpy() writes 100 bytes to an object that has 16", [] {
    char room[16];
    std::memcpy(room, text.data(), hundred);
    sink = room[3];
  });
  expect_overflow("memset() writes 100 bytes", [] {
    char room[16];
    std::memset(room, 1, hundred);
    sink = room[3];
  });
  expect_overflow("strcpy() writes 100 bytes", [] {
    char room[16];
    std::strcpy(room, text.data());
    sink = room[3];
  });
  expect_overflow("strcat() writes 101 bytes", [] {
    char room[16] = "a";
    std::strcat(room, text.data());
    sink = room[3];
  });
  expect_overflow("sprintf() writes 100 bytes", [] {
    char room[16];
    std::sprintf(room, "%s", text.data());
    sink = room[3];
  });
}

// What is called next finds a stack that cannot be followed: it is full of As.
[[gnu::noinline]] void smash_the_stack() {
  char room[16];
  char* volatile at = room;
  for (std::size_t n = 0; n < hundred; ++n) at[n] = 'A';
  sink = room[3];
}

TEST(AStack, ThatWasSmashedIsAFailureOfTheExecution) {
  expect_overflow("stack smashing detected", [] { smash_the_stack(); });
}

}  // namespace

}  // namespace unmodified
