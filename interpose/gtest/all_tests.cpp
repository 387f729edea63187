// GoogleTest makes the object of a test, with its fixture, by a factory that it keeps with the test. The
// factories are exchanged for those of a test whose body searches: each execution makes an object by the
// original factory, and runs it.
#include "all_tests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "../../scheduler/api/text_width.hpp"
#include "../../scheduler/existing_tests/existing_tests.hpp"
#include "../../scheduler/options/settings.hpp"
#include "../../scheduler/options/test_list.hpp"
#include "../../scheduler/report/last_line.hpp"
#include "../include/hocket/gtest.hpp"
#include "failed_test.hpp"
#include "named_searches.hpp"
#include "results_in_body.hpp"
#include "test_internals.hpp"

namespace hocket::testing {

namespace {

using ::testing::Test;
using ::testing::TestInfo;
using ::testing::TestSuite;
using ::testing::UnitTest;
using Factory = ::testing::internal::TestFactoryBase;

std::string name_of(const TestInfo& test) {
  return std::string(test.test_suite_name()) + "." + test.name();
}

/// What GoogleTest does with a test, on a fiber. Exceptions leave the body: they are failures of the
/// execution.
void run_as_body(Factory& factory) {
  const std::unique_ptr<Test> test(factory.CreateTest());
  const auto goes_on = [] { return !has_fatal_failure() && !is_skipped(); };
  if (!goes_on()) return;
  (test.get()->*reach(internals::SetUp()))();
  if (goes_on()) (test.get()->*reach(internals::TestBody()))();
  (test.get()->*reach(internals::TearDown()))();
}

/// A test in place of an original one.
class SearchedTest final : public Test {
 public:
  SearchedTest(Factory& original, const TestInfo& info) : original_(original), info_(info) {}

 private:
  void TestBody() override {
    const ExistingTest* test = nullptr;
    try {
      test = &ExistingTests::instance().run(name_of(info_), [this] { run_as_body(original_); });
    } catch (const std::exception& error) {
      return fail_test(error.what(), info_.file(), info_.line());
    }
    const auto skip = [](const char* file, int line, const std::string& reason) {
      GTEST_MESSAGE_AT_(file, line, "", ::testing::TestPartResult::kSkip) << reason;
    };
    switch (test->end) {
      case TestEnd::searches_itself:
        run_as_it_is();
        break;
      case TestEnd::failed_alone:
        fail_test(test->failure, info_.file(), info_.line());
        break;
      case TestEnd::failed:
      case TestEnd::died:
        fail_test(test->text, info_.file(), info_.line());
        break;
      case TestEnd::skipped:
        skip(test->look.skipped_in.c_str(), static_cast<int>(test->look.skipped_at),
            test->look.reason_to_skip);
        break;
      case TestEnd::interrupted:
      case TestEnd::too_long:
      case TestEnd::too_many_threads:
      case TestEnd::too_slow:
        skip(info_.file(), info_.line(), test->text);
        break;
      default:
        std::printf("%s", test->text.c_str());
        std::fflush(stdout);
    }
  }

  void run_as_it_is() {
    const std::unique_ptr<Test> test(original_.CreateTest());
    if (!HasFatalFailure() && !IsSkipped()) (test.get()->*reach(internals::RunTest()))();
  }

  Factory& original_;
  const TestInfo& info_;
};

class SearchingFactory final : public Factory {
 public:
  SearchingFactory(Factory* original, const TestInfo& info) : original_(original), info_(info) {}
  Test* CreateTest() override { return new SearchedTest(*original_, info_); }

 private:
  std::unique_ptr<Factory> original_;
  const TestInfo& info_;
};

/// Calls `visit` for each test of the program.
template <class Visit>
void for_each_test(Visit visit) {
  const UnitTest& all = *UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) visit(suite, *suite.GetTestInfo(t));
  }
}

template <class Visit>
void for_each_test_to_run(Visit visit) {
  for_each_test([&](const TestSuite& suite, const TestInfo& test) {
    if (test.should_run()) visit(suite, test);
  });
}

/// GoogleTest gives tests away as constant, but has made none of them so. It declares the pointer to the
/// factory constant, too, and reads it each time it makes the object of a test.
void exchange_factory(const TestInfo& test) {
  Factory*& factory = const_cast<Factory*&>(test.*reach(internals::Factory()));
  factory = new SearchingFactory(factory, test);
}

/// A main function that is not Hocket's knows nothing of replays, and would run all tests.
void run_only(const std::string& name) {
  const UnitTest& all = *UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    auto& suite = const_cast<TestSuite&>(*all.GetTestSuite(s));
    bool has_it = false;
    for (int t = 0; t < suite.total_test_count(); ++t) {
      auto& test = const_cast<TestInfo&>(*suite.GetTestInfo(t));
      const bool is_it = name_of(test) == name;
      test.*reach(internals::ShouldRun()) = is_it;
      has_it |= is_it;
    }
    suite.*reach(internals::SuiteShouldRun()) = has_it;
  }
}

/// Searches tests once more for which there is time left.
void search_further(const std::vector<std::string>& names) {
  std::printf("[----------] There is time left to search %zu test%s further.\n\n", names.size(),
      names.size() == 1 ? "" : "s");
  std::vector<bool*> put_off;
  std::vector<TestSuite*> suites;
  for_each_test_to_run([&](const TestSuite& suite, const TestInfo& test) {
    if (std::find(names.begin(), names.end(), name_of(test)) == names.end()) {
      put_off.push_back(&(const_cast<TestInfo&>(test).*reach(internals::ShouldRun())));
    } else if (suites.empty() || suites.back() != &suite) {
      suites.push_back(const_cast<TestSuite*>(&suite));
    }
  });
  for (bool* should_run : put_off) *should_run = false;
  for (TestSuite* suite : suites) (suite->*reach(internals::RunSuite()))();
  for (bool* should_run : put_off) *should_run = true;
}

bool wants_color() {
  const std::string asked = ::testing::GTEST_FLAG(color);
  if (asked == "yes" || asked == "no") return asked == "yes";
  const char* const terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && terminal != nullptr && std::string(terminal) != "dumb";
}

/// A program with a main function of its own may not have called initialize().
void read_flags_of_this_process() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) {
    if (arguments.empty() || is_flag_of_hocket(argument)) arguments.push_back(argument);
  }
  std::vector<char*> pointers;
  std::transform(arguments.begin(), arguments.end(), std::back_inserter(pointers),
      [](std::string& argument) { return argument.data(); });
  pointers.push_back(nullptr);
  int count = static_cast<int>(arguments.size());
  initialize(&count, pointers.data());
}

class SearchesTests final : public ::testing::EmptyTestEventListener {
  void OnTestProgramStart(const UnitTest& /*all*/) override {
    read_flags_of_this_process();
    if (lists_searches()) {
      for_each_test(
          [](const TestSuite& /*suite*/, const TestInfo& test) { list_test(kPlainTest, name_of(test)); });
      std::exit(0);
    }
    const std::string replayed = ExistingTests::to_be_replayed();
    const bool has_reason_not_to = has_named_search() || !ExistingTests::why_not().empty();
    if (is_run_by_command() && replayed.empty() && !has_reason_not_to) search_all_tests();
    is_at_work_ = ExistingTests::are_asked_for() && replayed.empty();
    if (!is_at_work_ && replayed.empty()) return;
    if (const std::string why_not = ExistingTests::why_not(); !why_not.empty()) {
      std::fprintf(stderr, "%s\n", why_not.c_str());
      std::exit(2);
    }
    if (!replayed.empty()) run_only(replayed);
    for_each_test_to_run([](const TestSuite& /*suite*/, const TestInfo& test) { exchange_factory(test); });
  }

  void OnTestIterationStart(const UnitTest& all, int /*iteration*/) override {
    if (is_at_work_) ExistingTests::instance().begin(static_cast<std::size_t>(all.test_to_run_count()));
  }

  void OnTestStart(const TestInfo& /*test*/) override { note_test_begins(); }
  void OnTestEnd(const TestInfo& /*test*/) override { note_test_ends(); }

  void OnEnvironmentsTearDownStart(const UnitTest& /*all*/) override {
    while (is_at_work_ && !was_interrupted()) {
      const std::vector<std::string> names = ExistingTests::instance().begin_next_round();
      if (names.empty()) break;
      search_further(names);
    }
  }

  void OnTestProgramEnd(const UnitTest& /*all*/) override {
    if (!is_at_work_) {
      std::printf("%s", line_on_tests_not_searched().c_str());
      return print_last_line();
    }
    std::printf("\n%s", ExistingTests::instance().summary(columns_of_output(), wants_color()).c_str());
    std::fflush(stdout);
  }

  static void print_last_line() {
    if (is_run_by_command()) return;
    std::fputs(last_line(outcomes_so_far(), columns_of_output()).c_str(), stdout);
    std::fflush(stdout);
  }

  bool is_at_work_ = false;
};

}  // namespace

void search_all_tests_if_asked() {
  UnitTest::GetInstance()->listeners().Append(new SearchesTests);
}

}  // namespace hocket::testing
