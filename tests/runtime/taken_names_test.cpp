// A program's own variables with names of POSIX: see taken_names.cpp.
#include <gtest/gtest.h>

#include "tests/support/bodies.hpp"
#include "tests/support/folder.hpp"

bool names_are_as_they_were();

namespace hocket::test {

namespace {

TEST(NamesOfTheProgram, AreNotTakenForFunctionsOfTheSystem) {
  const Folder folder;
  const auto body = [] {
    atomic<int> x{0};
    in_parallel([&] { x.store(x.load() + 1); }, [&] { x.store(x.load() + 1); });
    check(x.load() == 2, "one was lost");
  };
  const Report report = explore("names", body,
      Options{.max_preemptions = unbounded,
          .schedule_dir = (folder.path() / "new" / "folder").string(),
          .try_saved = false});
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_TRUE(std::filesystem::exists(report.failures[0].schedule_file)) << report;
  EXPECT_TRUE(names_are_as_they_were());
}

}  // namespace

}  // namespace hocket::test
