// The bugs as tests, all of which fail. `hocket list`, `hocket run` and `hocket replay` know them by their
// names.
#include "samples/unmodified/bugs.hpp"

#include <gtest/gtest.h>

#include <hocket/gtest.hpp>

namespace {

/// One test for each bug, named as in "Bugs.lost_wakeup".
class BugTest : public testing::Test {
 public:
  explicit BugTest(const samples::Bug& bug) : bug_(bug) {}
  void TestBody() override {
    hocket::Options options;
    options.spurious_wakeups = true;
    hocket::testing::run_test("Bugs", bug_.name, bug_.buggy, options);
  }

 private:
  samples::Bug bug_;
};

const bool are_registered = [] {
  for (const samples::Bug& bug : samples::bugs()) {
    testing::RegisterTest("Bugs", bug.name, nullptr, nullptr, __FILE__, __LINE__,
        [bug]() -> testing::Test* { return new BugTest(bug); });
  }
  return true;
}();

}  // namespace
