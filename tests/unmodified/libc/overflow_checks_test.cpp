// The checks that compilers and libc make in what is compiled with -fstack-protector and _FORTIFY_SOURCE:
// this file is (tests/unmodified/CMakeLists.txt).
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

#ifdef __clang__
extern "C" int __open_2(const char* path, int flags);  // NOLINT(bugprone-reserved-identifier): libc's
#endif

namespace unmodified {

namespace {

std::array<char, 100> text;
volatile std::size_t hundred = text.size();
volatile char sink = 0;

void expect_overflow(const char* words, const std::function<void()>& write) {
  expect_failure(FailureKind::terminate, 0, words, [&] { in_parallel([&] { write(); }); });
}

// The compiler writes these out as moves, unless they are calls (cmake/HocketBuiltins.h).
TEST(ACheckedCall, OfConstantSizeIsADataRaceWithAnotherThreadThatWritesThere) {
  static std::array<char, 16> shared;
  constexpr std::array<void (*)(char*), 11> kCalls{
      [](char* to) { std::memcpy(to, "new", 4); },
      [](char* to) { mempcpy(to, "new", 4); },
      [](char* to) { std::memmove(to, "new", 4); },
      [](char* to) { std::memset(to, 1, 8); },
      [](char* to) { std::strcpy(to, "new"); },
      [](char* to) { stpcpy(to, "new"); },
      [](char* to) { std::strncpy(to, "new", 3); },
      [](char* to) { std::strcat(to, "new"); },
      [](char* to) { std::strncat(to, "new", 2); },
      [](char* to) { std::sprintf(to, "new"); },
      [](char* to) { std::snprintf(to, 8, "new"); },
  };
  for (std::size_t n = 0; n < kCalls.size(); ++n) {
    SCOPED_TRACE(n);
    expect_failure(FailureKind::data_race, 0, "overflow_checks_test.cpp",
        [&] { in_parallel([&] { kCalls[n](shared.data()); }, [&] { shared[0] = 'n'; }); });
  }
}

#ifdef __clang__
// Clang 14 compiles these calls without the checks, which other objects of a program may have: here they are
// by hand.
#define READ(from, room, size) __read_chk(from, room, size, sizeof(room))
#define OPEN(path, flags) __open_2(path, flags)
#define SPRINTF(room, ...) __sprintf_chk(room, 1, sizeof(room), __VA_ARGS__)
#define POLL(looks, count, limit) __poll_chk(looks, count, limit, sizeof(looks))
#else
#define READ(from, room, size) read(from, room, size)
#define OPEN(path, flags) open(path, flags)
#define SPRINTF(room, ...) std::sprintf(room, __VA_ARGS__)
#define POLL(looks, count, limit) poll(looks, count, limit)
#endif

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
    SPRINTF(room, "%s", text.data());
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

/// A pipe or a pair of sockets, for reading and for writing.
struct Ends {
  explicit Ends(bool are_sockets = false) {
    EXPECT_EQ(are_sockets ? socketpair(AF_UNIX, SOCK_STREAM, 0, at) : pipe(at), 0);
  }
  ~Ends() {
    close(at[0]);
    close(at[1]);
  }
  int at[2];
};

/// The compiler does not know how much is asked for, and so lets the C library check.
volatile std::size_t three = 3;

TEST(ACallThatTheCLibraryChecks, WaitsAsWithoutTheCheck) {
  const auto passes = [](bool are_sockets, const std::function<void(int)>& wait) {
    explored([&] {
      const Ends ends(are_sockets);
      std::thread other([&] { EXPECT_EQ(write(ends.at[1], "abc", 3), 3); });
      wait(ends.at[0]);
      other.join();
    });
  };
  passes(false, [](int from) {
    char room[8];
    EXPECT_EQ(read(from, room, three), 3);
  });
  passes(true, [](int from) {
    char room[8];
    EXPECT_EQ(recv(from, room, three, 0), 3);
    EXPECT_EQ(recv(from, room, three, MSG_DONTWAIT), -1);
  });
  passes(true, [](int from) {
    char room[8];
    sockaddr_un sender{};
    socklen_t size = sizeof sender;
    EXPECT_EQ(recvfrom(from, room, three, 0, reinterpret_cast<sockaddr*>(&sender), &size), 3);
  });
  passes(false, [](int from) {
    pollfd looks[2]{{from, POLLIN, 0}, {from, POLLIN, 0}};
    EXPECT_EQ(poll(looks, three - 1, -1), 2);
    EXPECT_EQ(ppoll(looks, three - 1, nullptr, nullptr), 2);
  });
}

TEST(ACallThatTheCLibraryChecks, FailsIfTheObjectIsTooSmall) {
  expect_overflow("read() writes 100 bytes to an object that has 16", [] {
    const Ends ends;
    char room[16];
    sink = static_cast<char>(READ(ends.at[0], room, hundred));
  });
  expect_failure(FailureKind::terminate, 0, "open() makes a file and is not given its mode", [] {
    const volatile int flags = O_CREAT | O_WRONLY;
    sink = static_cast<char>(OPEN("/nowhere/at/all", flags));
  });
  expect_overflow("poll() writes 800 bytes to an object that has 16", [] {
    pollfd looks[2]{};
    sink = static_cast<char>(POLL(looks, hundred, 0));
  });
}

}  // namespace

}  // namespace unmodified
