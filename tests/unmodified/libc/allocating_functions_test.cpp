// Functions of libc that return memory for the caller to free: their blocks are the body's.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <ostream>
#include <string>

#include <malloc.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

template <class T>
T* unknown(T* pointer) {
  __asm__ volatile("" : "+r"(pointer));
  return pointer;
}

[[gnu::format(printf, 1, 2)]] char* printed(const char* format, ...) {
  char* result = nullptr;
  va_list arguments;
  va_start(arguments, format);
  check(vasprintf(&result, format, arguments) == static_cast<int>(std::strlen(result)));
  va_end(arguments);
  return result;
}

/// What `read` makes of a file with these contents.
void with_file(const char* contents, const std::function<void(std::FILE*)>& read) {
  std::FILE* const file = std::tmpfile();
  std::fputs(contents, file);
  std::rewind(file);
  read(file);
  std::fclose(file);
}

char* line_of_file() {
  char* line = nullptr;
  std::size_t room = 0;
  with_file("line\nnext\n", [&](std::FILE* file) { check(getline(&line, &room, file) == 5); });
  return line;
}

struct Way {
  const char* function;
  char* (*text)();
};
void PrintTo(const Way& way, std::ostream* stream) {
  *stream << way.function;
}

const Way kWays[] = {
    {"strdup", [] { return strdup("some text"); }},
    {"strndup", [] { return strndup("some text", 6); }},
    {"asprintf",
        [] {
          char* text = nullptr;
          check(asprintf(&text, "%d", 5) == 1);
          return text;
        }},
    {"vasprintf", [] { return printed("%d", 5); }},
    {"getline", &line_of_file},
    {"realpath", [] { return realpath("/", nullptr); }},
};

class AFunctionThatAllocates : public testing::TestWithParam<Way> {};

TEST_P(AFunctionThatAllocates, ReturnsABlockWhoseUseAfterItWasFreedIsFound) {
  expect_failure(FailureKind::heap_error, 0, "freed", [] {
    char* const text = unknown(GetParam().text());
    std::free(unknown(text));
    check(*unknown(text) != 1);
  });
}

TEST_P(AFunctionThatAllocates, ReturnsABlockThatCanBeFreedOnlyOnce) {
  expect_failure(FailureKind::heap_error, 0, "thread 1 frees a block a second time", [] {
    char* const text = unknown(GetParam().text());
    std::free(unknown(text));
    in_parallel([&] { std::free(unknown(text)); });
  });
}

TEST_P(AFunctionThatAllocates, GivesEachThreadABlockOfItsOwn) {
  explored([] {
    const auto use = [] {
      char* const text = GetParam().text();
      text[0] = 'n';
      std::free(unknown(text));
    };
    in_parallel(use, use);
  });
}

INSTANTIATE_TEST_SUITE_P(OfLibc, AFunctionThatAllocates, testing::ValuesIn(kWays),
    [](const auto& test) { return std::string(test.param.function); });

void allocate_with_every_function() {
  const auto expect = [](char* text, const char* expected) {
    check(std::strcmp(text, expected) == 0);
    check(malloc_usable_size(text) > std::strlen(expected));
    std::free(unknown(text));
  };
  expect(strdup(""), "");
  expect(strdup("some text"), "some text");
  expect(strndup("some text", 4), "some");
  expect(strndup("some", 100), "some");
  expect(printed("%s %5.2f", "a number:", 3.14159), "a number:  3.14");
  expect(realpath("/proc/../", nullptr), "/");
  check(realpath("/no/such/file", nullptr) == nullptr);
  char resolved[4096];
  check(realpath("/proc/..", resolved) == resolved && std::strcmp(resolved, "/") == 0);
  char* text = nullptr;
  check(asprintf(&text, "%s", "printed") == 7);
  expect(text, "printed");

  const std::string long_line = std::string(1000, 'x') + "\n";
  with_file(("one\n" + long_line + "two;three").c_str(), [&](std::FILE* file) {
    char* line = nullptr;
    std::size_t room = 0;
    check(getline(&line, &room, file) == 4 && std::strcmp(line, "one\n") == 0);
    check(getline(&line, &room, file) == 1001 && line == long_line && room > 1001);
    const char* const before = line;
    check(getdelim(&line, &room, ';', file) == 4 && std::strcmp(line, "two;") == 0);
    check(line == before, "a line for which there is room moves nothing");
    check(getline(&line, &room, file) == 5 && std::strcmp(line, "three") == 0);
    check(getline(&line, &room, file) == -1 && std::feof(file) != 0);
    std::free(line);
  });
}

TEST(FunctionsThatAllocate, WorkAlikeInABodyAndOutside) {
  explored(&allocate_with_every_function);
  allocate_with_every_function();
}

}  // namespace

}  // namespace unmodified
