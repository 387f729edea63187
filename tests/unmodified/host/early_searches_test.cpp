// Searches before main() begins and after it has returned, when the program's other objects and Hocket's are
// not made yet, or are gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

constexpr const char* kVariable = "TEST_OF_EARLY_SEARCHES";  // set in a process that is to make them

void search(const char* when) {
  const Report report = hocket::explore(
      when,
      [] {
        std::mutex mutex;
        int n = 0;
        const auto count = [&] {
          const std::lock_guard lock(mutex);
          ++n;
        };
        in_parallel(count, count);
        check(n == 2);
      },
      exhaustively());
  std::fprintf(stderr, "%s: %s, %u executions\n", when, to_string(report.verdict).data(),
      static_cast<unsigned>(report.executions));
}

struct SearchesInItsLife {
  SearchesInItsLife() {
    if (std::getenv(kVariable) != nullptr) search("constructor");
  }
  ~SearchesInItsLife() {
    if (std::getenv(kVariable) != nullptr) search("destructor");
  }
} searches_in_its_life;

TEST(ASearch, MayRunBeforeMainAndAfterIt) {
  if (std::getenv(kVariable) != nullptr) {
    search("test");
    std::atexit([] { search("atexit"); });
    return;
  }
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = std::string(kVariable) + "=1 '" + self +
                              "' --gtest_filter=ASearch.MayRunBeforeMainAndAfterIt 2>&1 </dev/null";
  std::FILE* const output = popen(command.c_str(), "r");
  std::string text;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) text += static_cast<char>(c);
  EXPECT_EQ(pclose(output), 0) << text;
  for (const char* const when : {"constructor", "test", "atexit", "destructor"}) {
    EXPECT_THAT(text, ::testing::HasSubstr(std::string(when) + ": passed exhaustively, 2 executions"));
  }
}

}  // namespace

}  // namespace unmodified
