// Functions of libc that work on the program's memory: what they read and write is looked at for data races
// and for errors with heap blocks, as if the program's own code did it.
#include <algorithm>
#include <array>
#include <bitset>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>

#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

constexpr std::size_t kSize = 24;

/// Not known to the compiler, which would otherwise do itself what the function does.
template <class T>
T unknown(T value) {
  __asm__ volatile("" : "+r"(value));
  return value;
}
/// For what a function returns, without which the compiler would leave out the call.
template <class T>
void use(T value) {
  unknown(value);
}

/// A function, on a buffer of kSize bytes that holds "text", and whether it changes that.
struct Use {
  const char* function;
  bool writes;
  void (*call)(char* buffer);
};
void PrintTo(const Use& used, std::ostream* stream) {
  *stream << used.function;
}

void fill_a_pipe_and_read(char* buffer) {
  std::array<int, 2> ends{};
  check(pipe(ends.data()) == 0);
  check(write(ends[1], "new", 3) == 3);
  use(read(ends[0], buffer, kSize));
  close(ends[0]);
  close(ends[1]);
}

void between_sockets(const std::function<void(int)>& here, const std::function<void(int)>& there) {
  std::array<int, 2> ends{};
  check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  here(ends[0]);
  there(ends[1]);
  close(ends[0]);
  close(ends[1]);
}

/// What `read` makes of a file that holds "line\n".
void with_file(const std::function<void(std::FILE*)>& read) {
  std::FILE* const file = std::tmpfile();
  check(file != nullptr);
  std::fputs("line\n", file);
  std::rewind(file);
  read(file);
  std::fclose(file);
}

void with_null_file(const std::function<void(std::FILE*)>& write) {
  std::FILE* const file = std::fopen("/dev/null", "w");
  check(file != nullptr);
  write(file);
  std::fclose(file);
}

[[gnu::format(printf, 2, 0)]] void print_with_list(char* buffer, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, unknown(kSize), format, arguments);
  va_end(arguments);
}
[[gnu::format(printf, 2, 0)]] void print_unlimited_with_list(char* buffer, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsprintf(buffer, format, arguments);
  va_end(arguments);
}

int compare_letters(const void* a, const void* b) {
  return *static_cast<const char*>(a) - *static_cast<const char*>(b);
}

char unchanged[kSize] = "text";

const std::array kUses{
    Use{"memcpy from", false,
        [](char* at) {
          std::array<char, kSize> to;
          std::memcpy(unknown(to.data()), at, unknown(kSize));
        }},
    Use{"memcpy of a constant size", true, [](char* at) { std::memcpy(at, unknown(&unchanged[0]), 4); }},
    Use{"memcpy to", true, [](char* at) { std::memcpy(at, unchanged, unknown(kSize)); }},
    Use{"mempcpy", true, [](char* at) { mempcpy(at, unchanged, unknown(kSize)); }},
    Use{"memmove", true, [](char* at) { std::memmove(at, at + 1, unknown(kSize) - 1); }},
    Use{"memset", true, [](char* at) { std::memset(at, 0, unknown(kSize)); }},
    Use{"memset of a constant size", true, [](char* at) { std::memset(at, 0, 4); }},
    Use{"bzero", true, [](char* at) { bzero(at, 4); }},
    Use{"bcopy", true, [](char* at) { bcopy(unchanged, at, unknown(kSize)); }},
    Use{"fill of a constant size", true, [](char* at) { std::fill(at, at + kSize, 'x'); }},
    Use{"copy of a constant size", true, [](char* at) { std::copy(unchanged, unchanged + kSize, at); }},
    Use{"equal of a constant size", false, [](char* at) { use(std::equal(at, at + kSize, unchanged)); }},
    Use{"bitset", true, [](char* at) { static_cast<std::bitset<128>*>(static_cast<void*>(at))->reset(); }},
    Use{"memcmp", false, [](char* at) { use(std::memcmp(at, unchanged, unknown(kSize))); }},
    Use{"memcmp of a constant size", false, [](char* at) { use(std::memcmp(at, unchanged, 8) == 0); }},
    Use{"bcmp", false, [](char* at) { use(bcmp(at, unchanged, unknown(kSize))); }},
    Use{"memchr", false, [](char* at) { use(std::memchr(at, 'x', unknown(kSize))); }},
    Use{"strcpy", true, [](char* at) { std::strcpy(at, unknown(&unchanged[0])); }},
    Use{"strcpy of a constant", true, [](char* at) { std::strcpy(at, "new"); }},
    Use{"stpcpy", true, [](char* at) { use(stpcpy(at, unknown(&unchanged[0]))); }},
    Use{"strncpy", true, [](char* at) { std::strncpy(at, unchanged, unknown(kSize)); }},
    Use{"strcat", true, [](char* at) { std::strcat(at, unknown(&unchanged[0])); }},
    Use{"strncat", true, [](char* at) { std::strncat(at, unchanged, unknown(std::size_t{2})); }},
    Use{"strlen", false, [](char* at) { use(std::strlen(at)); }},
    Use{"strnlen", false, [](char* at) { use(strnlen(at, unknown(kSize))); }},
    Use{"strcmp", false, [](char* at) { use(std::strcmp(at, unchanged)); }},
    Use{"strcmp with a constant", false, [](char* at) { use(std::strcmp(at, "on") == 0); }},
    Use{"strncmp", false, [](char* at) { use(std::strncmp(at, unchanged, unknown(std::size_t{3}))); }},
    Use{"strncmp with a constant", false, [](char* at) { use(std::strncmp(at, "on", 2) == 0); }},
    Use{"strcasecmp", false, [](char* at) { use(strcasecmp(at, "TEXT")); }},
    Use{"strncasecmp", false, [](char* at) { use(strncasecmp(at, "TEXT", unknown(std::size_t{3}))); }},
    Use{"strchr", false, [](char* at) { use(std::strchr(at, unknown('x'))); }},
    Use{"strrchr", false, [](char* at) { use(std::strrchr(at, unknown('x'))); }},
    Use{"strstr", false, [](char* at) { use(std::strstr(at, unknown(&unchanged[0]))); }},
    Use{"strdup", false, [](char* at) { std::free(unknown(strdup(at))); }},
    Use{"strndup", false, [](char* at) { std::free(unknown(strndup(at, unknown(std::size_t{2})))); }},
    Use{"qsort", true, [](char* at) { std::qsort(at, unknown(kSize), 1, &compare_letters); }},
    Use{"sprintf", true, [](char* at) { std::sprintf(at, "%d", unknown(5)); }},
    Use{"sprintf of a constant", true, [](char* at) { std::sprintf(at, "new"); }},
    Use{"snprintf of a constant", true, [](char* at) { std::snprintf(at, kSize, "new"); }},
    Use{"snprintf", true, [](char* at) { std::snprintf(at, unknown(kSize), "%d", unknown(5)); }},
    Use{"vsprintf", true, [](char* at) { print_unlimited_with_list(at, "%d", unknown(5)); }},
    Use{"vsnprintf", true, [](char* at) { print_with_list(at, "%d", unknown(5)); }},
    Use{"fputs", false, [](char* at) { with_null_file([at](std::FILE* file) { std::fputs(at, file); }); }},
    Use{"fwrite", false,
        [](char* at) { with_null_file([at](std::FILE* file) { use(std::fwrite(at, 1, kSize, file)); }); }},
    Use{"fread", true,
        [](char* at) { with_file([at](std::FILE* file) { use(std::fread(at, 1, kSize, file)); }); }},
    Use{"fgets", true,
        [](char* at) { with_file([at](std::FILE* file) { use(std::fgets(at, kSize, file)); }); }},
    Use{"write", false,
        [](char* at) { with_null_file([at](std::FILE* file) { use(write(fileno(file), at, kSize)); }); }},
    Use{"read", true, &fill_a_pipe_and_read},
    Use{"send", false,
        [](char* at) { between_sockets([at](int socket) { use(send(socket, at, kSize, 0)); }, [](int) {}); }},
    Use{"recv", true,
        [](char* at) {
          between_sockets([](int socket) { use(send(socket, "new", 3, 0)); },
              [at](int socket) { use(recv(socket, at, kSize, 0)); });
        }},
};

char* new_buffer() {
  auto* const buffer = static_cast<char*>(std::calloc(1, kSize));
  for (std::size_t n = 0; n < 4; ++n) buffer[n] = unchanged[n];
  return buffer;
}

class ALibraryFunction : public testing::TestWithParam<Use> {};

TEST_P(ALibraryFunction, IsADataRaceWithAnotherThreadThatWritesThere) {
  const Use& used = GetParam();
  expect_failure(FailureKind::data_race, 0, "library_functions_test.cpp", [&] {
    char* const buffer = new_buffer();
    in_parallel([&] { used.call(buffer); }, [&] { buffer[0] = 'n'; });
    std::free(buffer);
  });
}

TEST_P(ALibraryFunction, OfTwoThreadsIsADataRaceIfItWrites) {
  const Use& used = GetParam();
  const auto body = [&] {
    char* const buffer = new_buffer();
    const auto call = [&] { used.call(buffer); };
    in_parallel(call, call);
    std::free(buffer);
  };
  if (used.writes) {
    expect_failure(FailureKind::data_race, 0, "library_functions_test.cpp", body);
  } else {
    explored(body);
  }
}

TEST_P(ALibraryFunction, UnderAMutexOrOnMemoryOfTheThreadsOwnPasses) {
  const Use& used = GetParam();
  explored([&] {
    char* const shared = new_buffer();
    std::mutex mutex;
    const auto call = [&] {
      char* const own = new_buffer();
      used.call(own);
      std::free(own);
      const std::lock_guard lock(mutex);
      used.call(shared);
    };
    in_parallel(call, [&] {
      call();
      const std::lock_guard lock(mutex);
      shared[0] = 'n';
    });
    std::free(shared);
  });
}

TEST_P(ALibraryFunction, OnAFreedBlockIsAHeapError) {
  const Use& used = GetParam();
  expect_failure(FailureKind::heap_error, 0, "freed", [&] {
    char* const buffer = new_buffer();
    std::free(unknown(buffer));
    used.call(unknown(buffer));
  });
}

INSTANTIATE_TEST_SUITE_P(OfLibc, ALibraryFunction, testing::ValuesIn(kUses), [](const auto& test) {
  std::string name = test.param.function;
  for (char& letter : name) letter = letter == ' ' ? '_' : letter;
  return name;
});

TEST(ALibraryFunctionOfText, ReadsNoFurtherThanItsResultNeeds) {
  explored([] {
    char* const text = new_buffer();  // "text": each looks at the first two bytes at most
    in_parallel([&] { text[3] = 'n'; },
        [&] {
          check(std::strchr(text, 'e') == text + 1);
          check(std::strcmp(text, unknown("tz")) < 0);
          check(std::strncmp(text, unknown("te"), 2) == 0);
          check(std::memchr(text, 't', unknown(kSize)) == text);
          check(std::strstr(text, unknown("te")) == text);
          check(strnlen(text, unknown(std::size_t{2})) == 2);
        });
    std::free(text);
  });
}

TEST(ALibraryFunctionOfText, ThatWritesBehindTheEndOfItsBlockIsAHeapError) {
  const auto expect = [](const char* words, void (*overflow)(char* six_bytes)) {
    expect_failure(FailureKind::heap_error, 0, words, [&] {
      auto* const block = static_cast<char*>(std::malloc(6));
      block[0] = 0;
      overflow(unknown(block));
      std::free(block);
    });
  };
  expect("main writes 12 bytes, byte 0 of a block of 6 bytes",
      [](char* block) { std::strcpy(block, unknown("hello world")); });
  expect("writes 12 bytes", [](char* block) { std::strcat(block, unknown("hello world")); });
  expect("writes 20 bytes", [](char* block) { std::strncpy(block, "hello", unknown(std::size_t{20})); });
  expect("writes 12 bytes",
      [](char* block) { std::sprintf(block, "%s %s", unknown("hello"), unknown("world")); });
  expect("reads 7 bytes", [](char* block) {
    std::memset(block, 'x', 6);
    use(std::strlen(block));
  });
}

TEST(ALibraryFunctionOfNoBytes, TouchesNothing) {
  explored([] {
    char* const block = new_buffer();
    std::free(unknown(block));
    std::memcpy(unknown(block), unknown(block), unknown(std::size_t{0}));
    check(std::memcmp(unknown(block), unchanged, unknown(std::size_t{0})) == 0);
  });
}

}  // namespace

}  // namespace unmodified
