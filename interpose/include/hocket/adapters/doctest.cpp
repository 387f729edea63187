// The adapter of doctest. It is compiled in each program that links hocket::doctest, with the doctest of that
// program.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>

#include "../../../../scheduler/existing_tests/assertions.hpp"
#include "../../../../scheduler/existing_tests/sections.hpp"
#include "../testing.hpp"
#include "main_with_flags.hpp"
#include "search_by_name.hpp"

namespace doctest::detail {

// doctest defines it where its implementation is.
std::set<TestCase>& getRegisteredTests();  // NOLINT(readability-identifier-naming)

}  // namespace doctest::detail

/// doctest gives each thread a lane of its own for counting assertions: the next one after that of the thread
/// before. This is its count of threads; it is missing where doctest is built without lanes.
extern std::size_t doctest_threads __asm__("_ZZN7doctest6detail15MultiLaneAtomicIiE8myAtomicEvE11laneCounter")
    __attribute__((weak));

namespace {

using doctest::AssertData;
using doctest::TestCaseData;
using doctest::detail::TestCase;
namespace kinds = doctest::assertType;

/// Subcases as text, which a body can leave behind.
std::string text_of(const doctest::SubcaseSignature& subcase) {
  return std::to_string(subcase.m_line) + '\n' + subcase.m_file + '\n' + subcase.m_name.c_str();
}

/// Has doctest take the subcases for run that the last execution has entered, so that it does not come back
/// to them. No other ones come next then.
void pass_over(const hocket::sections::Path& entered, std::size_t from = 0) {
  if (from == entered.size()) return;
  std::istringstream text(entered[from]);
  int line = 0;
  std::string file;
  std::string name;
  text >> line;
  text.ignore();
  std::getline(text, file);
  std::getline(text, name, '\0');
  const doctest::detail::Subcase subcase(name.c_str(), file.c_str(), line);
  pass_over(entered, from + 1);
}

struct OfThisProcess {
  const TestCase* test = nullptr;  ///< that is run
  unsigned part = 0;               ///< how often it was called so far
  bool is_at_work = false;         ///< tests are searched
  std::unordered_map<const TestCase*, doctest::detail::funcType> originals;
};
OfThisProcess process;

std::string name_of(const TestCaseData& test) {
  const std::string suite = test.m_test_suite != nullptr ? test.m_test_suite : "";
  return (suite.empty() ? "" : suite + ": ") + test.m_name;
}

/// What INFO() and CAPTURE() have given for the scopes of this thread; lines that follow the others.
std::string infos() {
  std::ostringstream text;
  for (int n = 0; n < doctest::IReporter::get_num_active_contexts(); ++n) {
    text << "\n  logged: ";
    doctest::IReporter::get_active_contexts()[n]->stringify(&text);
  }
  return text.str();
}

/// The assertion and what it found, as doctest words it.
std::string text_of(const AssertData& data) {
  std::string text =
      std::string(doctest::assertString(data.m_at)) + "( " + data.m_expr + " ) is NOT correct!";
  if (data.m_threw) return text + "\n  threw: " + data.m_exception.c_str();
  if ((data.m_at & (kinds::is_throws | kinds::is_throws_as | kinds::is_throws_with)) != 0)
    return text + "\n  threw nothing";
  if (data.m_decomp.size() != 0) text += std::string("\n  values: ") + data.m_decomp.c_str();
  return text;
}

void fail_test(const std::string& text) {
  doctest::detail::MessageBuilder message(
      process.test->m_file.c_str(), static_cast<int>(process.test->m_line), kinds::is_check);
  message* text;
  message.log();
}

/// Runs `test` as a body, which does the same however many threads there were before: in a replay there were
/// others.
void run_as_body(const std::function<void()>& test) {
  if (&doctest_threads != nullptr) doctest_threads = 0;
  test();
}

/// Stands in place of the function of each test.
void search_test() {
  const doctest::detail::funcType original = process.originals.at(process.test);
  const hocket::Ruling ruling = hocket::ExistingTests::instance().search_part(
      name_of(*process.test), ++process.part, [original] { run_as_body(original); });
  hocket::adapters::tell(ruling.text);
  if (!ruling.failure.empty()) fail_test(ruling.failure);
  if (ruling.run_as_it_is) {
    original();
  } else {
    pass_over(hocket::sections::entered());
  }
}

/// Tells the failed assertions of bodies, and exchanges the functions of tests.
struct Listener final : doctest::IReporter {
  explicit Listener(const doctest::ContextOptions& /*options*/) {}

  void log_assert(const AssertData& data) override {
    if (!data.m_failed || !hocket::is_in_body() || (data.m_at & kinds::is_warn) != 0) return;
    hocket::note_failed_assertion(text_of(data) + infos(), data.m_file, data.m_line);
  }
  void log_message(const doctest::MessageData& data) override {
    if (!hocket::is_in_body() || (data.m_severity & kinds::is_warn) != 0) return;
    hocket::note_failed_assertion(data.m_string.c_str() + infos(), data.m_file, data.m_line);
  }

  void subcase_start(const doctest::SubcaseSignature& subcase) override {
    if (hocket::is_in_body()) hocket::sections::note_entered(text_of(subcase));
  }
  void subcase_end() override {
    if (hocket::is_in_body()) hocket::sections::note_left();
  }

  void test_run_start() override {
    process.is_at_work = hocket::adapters::are_tests_to_be_exchanged();
    if (!process.is_at_work) return;
    std::set<TestCase>& tests = doctest::detail::getRegisteredTests();
    for (const TestCase& test : tests) {
      process.originals.emplace(&test, test.m_test);
      const_cast<TestCase&>(test).m_test = &search_test;  // the order of the set does not depend on it
    }
    hocket::ExistingTests::instance().begin(tests.size());
  }
  void test_case_start(const TestCaseData& test) override {
    process.test = static_cast<const TestCase*>(&test);
    process.part = 0;
    hocket::note_test_begins();
  }
  void test_case_skipped(const TestCaseData& /*test*/) override {
    if (process.is_at_work) hocket::ExistingTests::instance().leave_out();
  }
  void test_run_end(const doctest::TestRunStats& /*stats*/) override {
    hocket::fresh_start::show_output();  // if the test that died was left out this time
    process.is_at_work ? hocket::adapters::print_summary()
                       : hocket::adapters::tell(hocket::line_on_tests_not_searched());
  }

  void report_query(const doctest::QueryData& /*data*/) override {}
  void test_case_reenter(const TestCaseData& /*test*/) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& /*stats*/) override { hocket::note_test_ends(); }
  void test_case_exception(const doctest::TestCaseException& /*exception*/) override {}
};

DOCTEST_REGISTER_LISTENER("hocket", 1, Listener);

}  // namespace

namespace hocket::adapters {

std::vector<std::string> names_of_tests() {
  std::vector<std::string> names;
  for (const TestCase& test : doctest::detail::getRegisteredTests()) names.push_back(name_of(test));
  return names;
}

}  // namespace hocket::adapters

namespace hocket::testing {

void explore(const std::function<void()>& body, const Options& options) {
  const std::string failure = adapters::failure_of(
      name_of(*process.test), [&body] { run_as_body(body); }, options);
  if (!failure.empty()) fail_test(failure);
}

}  // namespace hocket::testing
