// The adapter of Catch2, version 2 or 3. It is compiled in each program that links hocket::catch2, with the
// Catch2 of that program.
//
// While a search runs, Catch2 hands assertions to a Capture in place of its own run context, which is not
// made for several threads. It hands a test to a SearchingInvoker in place of the test's own.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_message.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/catch_test_spec.hpp>
#include <catch2/interfaces/catch_interfaces_capture.hpp>
#include <catch2/interfaces/catch_interfaces_config.hpp>
#include <catch2/interfaces/catch_interfaces_generatortracker.hpp>
#include <catch2/interfaces/catch_interfaces_registry_hub.hpp>
#include <catch2/interfaces/catch_interfaces_test_invoker.hpp>
#include <catch2/interfaces/catch_interfaces_testcase.hpp>
#include <catch2/internal/catch_assertion_handler.hpp>
#include <catch2/internal/catch_context.hpp>
#include <catch2/internal/catch_decomposer.hpp>
#include <catch2/internal/catch_test_case_registry_impl.hpp>
#include <catch2/internal/catch_test_failure_exception.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#else
#define CATCH_CONFIG_EXTERNAL_INTERFACES  // NOLINT(readability-identifier-naming)
#include <catch2/catch.hpp>
#define HOCKET_CATCH2_2
#endif

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "../../../../scheduler/existing_tests/assertions.hpp"
#include "../../../../scheduler/existing_tests/sections.hpp"
#include "../testing.hpp"
#include "main_with_flags.hpp"
#include "search_by_name.hpp"

namespace hocket::adapters {

using namespace Catch;

#if defined(HOCKET_CATCH2_2)
using ListenerBase = TestEventListenerBase;
using Text = StringRef const&;  // of a message
using TextOfException = std::string const&;
using TestHandle = TestCase;
#else
using ListenerBase = EventListenerBase;
using Text = std::string&&;
using TextOfException = std::string&&;
using TestHandle = TestCaseHandle;
#endif

struct OfThisRun {
  TestCaseInfo const* test = nullptr;  ///< that is run
  unsigned part = 0;                   ///< how often it was called so far
  bool is_at_work = false;             ///< tests are searched
};
inline OfThisRun run;

/// Gives the first value of a generator. It is never destroyed: it lies in the heap of the body.
class FirstValue final : public IGeneratorTracker {
 public:
  bool hasGenerator() const override { return static_cast<bool>(generator_); }
  Generators::GeneratorBasePtr const& getGenerator() const override { return generator_; }
  void setGenerator(Generators::GeneratorBasePtr&& generator) override { generator_ = std::move(generator); }

 private:
  Generators::GeneratorBasePtr generator_;
};

/// Takes the assertions of a body. What Catch2 keeps is left alone: some of it lies on the stack, and would
/// not be restored.
class Capture final : public IResultCapture {
 public:
  explicit Capture(IResultCapture& original) : original_(original) {}

  void handleExpr(AssertionInfo const& info, ITransientExpression const& expression,
      AssertionReaction& reaction) override {
    if (expression.getResult() != isFalseTest(info.resultDisposition)) return;
    std::ostringstream text;
    text << name_of(info) << "\n  with expansion: " << (isFalseTest(info.resultDisposition) ? "!(" : "");
    expression.streamReconstructedExpression(text);
    text << (isFalseTest(info.resultDisposition) ? ")" : "");
    fail(info, text.str(), reaction);
  }
  void handleMessage(
      AssertionInfo const& info, ResultWas::OfType type, Text message, AssertionReaction& reaction) override {
#if !defined(HOCKET_CATCH2_2)
    if (type == ResultWas::ExplicitSkip) {
      reaction.shouldSkip = true;
      note_skipping(message, info.lineInfo.file, static_cast<int>(info.lineInfo.line));
      return;
    }
#endif
    if (Catch::isOk(type)) return;
    fail(info, name_of(info) + "\n  " + std::string(message), reaction);
  }
  void handleUnexpectedExceptionNotThrown(AssertionInfo const& info, AssertionReaction& reaction) override {
    fail(info, name_of(info) + "\n  no exception was thrown", reaction);
  }
  void handleUnexpectedInflightException(
      AssertionInfo const& info, TextOfException message, AssertionReaction& reaction) override {
    fail(info, name_of(info) + "\n  due to an exception: " + message, reaction);
  }
  void handleIncomplete(AssertionInfo const& info) override {
    AssertionReaction ignored;
    fail(info, name_of(info) + "\n  an exception was thrown", ignored);
  }
  void handleNonExpr(
      AssertionInfo const& info, ResultWas::OfType type, AssertionReaction& reaction) override {
    if (Catch::isOk(type)) return;
    fail(info, name_of(info) + (type == ResultWas::DidntThrowException ? "\n  no exception was thrown" : ""),
        reaction);
  }
  void pushScopedMessage(MessageInfo const& message) override {
    enter_test_scope(message.message);
  }
  void popScopedMessage(MessageInfo const& /*message*/) override {
    leave_test_scope();
  }

#if defined(HOCKET_CATCH2_2)
  void emplaceUnscopedMessage(MessageBuilder const& /*builder*/) override {}
  bool sectionStarted(SectionInfo const& info, Counts& /*assertions*/) override {
    return sections::enter(section(info.name, info.lineInfo));
  }
  void sectionEnded(SectionEndInfo const& /*info*/) override {
    sections::leave();
  }
  void sectionEndedEarly(SectionEndInfo const& /*info*/) override {
    sections::leave();
  }
  IGeneratorTracker& acquireGeneratorTracker(StringRef /*name*/, SourceLineInfo const& line) override {
    skip_for_generator(line);
    return *new FirstValue;
  }
#if defined(CATCH_CONFIG_ENABLE_BENCHMARKING)
  void benchmarkPreparing(std::string const& /*name*/) override {}
  void benchmarkStarting(BenchmarkInfo const& /*info*/) override {}
  void benchmarkEnded(BenchmarkStats<> const& /*stats*/) override {}
  void benchmarkFailed(std::string const& /*error*/) override {}
#endif
#else
  void notifyAssertionStarted(AssertionInfo const& /*info*/) override {}
  void emplaceUnscopedMessage(MessageBuilder&& /*builder*/) override {}
  bool sectionStarted(StringRef name, SourceLineInfo const& line, Counts& /*assertions*/) override {
    return sections::enter(section(std::string(name), line));
  }
  void sectionEnded(SectionEndInfo&& /*info*/) override {
    sections::leave();
  }
  void sectionEndedEarly(SectionEndInfo&& /*info*/) override {
    sections::leave();
  }
  IGeneratorTracker* acquireGeneratorTracker(StringRef /*name*/, SourceLineInfo const& /*line*/) override {
    return nullptr;
  }
  IGeneratorTracker* createGeneratorTracker(
      StringRef /*name*/, SourceLineInfo line, Generators::GeneratorBasePtr&& generator) override {
    skip_for_generator(line);
    auto* const first = new FirstValue;
    first->setGenerator(std::move(generator));
    return first;
  }
  void benchmarkPreparing(StringRef /*name*/) override {}
  void benchmarkStarting(BenchmarkInfo const& /*info*/) override {}
  void benchmarkEnded(BenchmarkStats<> const& /*stats*/) override {}
  void benchmarkFailed(StringRef /*error*/) override {}
#endif
  void handleFatalErrorCondition(StringRef message) override {
    original_.handleFatalErrorCondition(message);
  }
  bool lastAssertionPassed() override {
    return !has_failed();
  }
  void assertionPassed() override {}
  std::string getCurrentTestName() const override {
    return original_.getCurrentTestName();
  }
  AssertionResult const* getLastResult() const override {
    return original_.getLastResult();
  }
  void exceptionEarlyReported() override {}

 private:
  static std::string section(std::string const& name, SourceLineInfo const& line) {
    return name + ":" + line.file + ":" + std::to_string(line.line);
  }

  static void skip_for_generator(SourceLineInfo const& line) {
    note_skipping("it uses GENERATE", line.file, static_cast<int>(line.line));
  }

  static std::string name_of(AssertionInfo const& info) {
    const std::string name(info.macroName);
    return info.capturedExpression.empty() ? name : name + "( " + std::string(info.capturedExpression) + " )";
  }

  static void fail(AssertionInfo const& info, std::string text, AssertionReaction& reaction) {
    reaction.shouldThrow = (info.resultDisposition & ResultDisposition::Normal) != 0;
    if (shouldSuppressFailure(info.resultDisposition)) return;
    if (const std::string scopes = test_scopes(); !scopes.empty()) text += "\n  with messages:\n" + scopes;
    note_failed_assertion(std::move(text), info.lineInfo.file, static_cast<int>(info.lineInfo.line));
  }

  IResultCapture& original_;
};

/// Exists as long as a search runs.
class Listening {
 public:
  Listening() : original_(&getResultCapture()), capture_(*original_) {
    getCurrentMutableContext().setResultCapture(&capture_);
  }
  ~Listening() { getCurrentMutableContext().setResultCapture(original_); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  IResultCapture* original_;
  Capture capture_;
};

/// Has the current test case fail.
inline void fail_test(const std::string& text) {
  AssertionHandler handler(
      "Hocket"_catch_sr, run.test->lineInfo, StringRef(), ResultDisposition::ContinueOnFailure);
  handler.handleMessage(ResultWas::ExplicitFailure, std::string(text));
  handler.complete();
}

class SearchingInvoker final : public ITestInvoker {
 public:
#if defined(HOCKET_CATCH2_2)
  using Original = std::shared_ptr<ITestInvoker>;
#else
  using Original = ITestInvoker*;

  void prepareTestCase() override {
    original_->prepareTestCase();
  }
  void tearDownTestCase() override {
    original_->tearDownTestCase();
  }
#endif

  explicit SearchingInvoker(Original original) : original_(std::move(original)) {}

  void invoke() const override {
    if (++run.part != 1 || search_all_parts()) original_->invoke();
  }

 private:
  /// Searches the test with each of its sections in turn. Returns whether Catch2 is to run the test, too,
  /// which it then calls for each section.
  bool search_all_parts() const {
    sections::begin_test();
    for (unsigned part = 1;; ++part) {
      const Ruling ruling =
          ExistingTests::instance().search_part(std::string(run.test->name), part, [this] { run_as_body(); });
      tell(ruling.text);
      if (!ruling.failure.empty()) fail_test(ruling.failure);
      if (!ruling.run_as_it_is) return false;
      if (!sections::advance()) return true;
    }
  }

  void run_as_body() const {
#if defined(HOCKET_CATCH2_2)
    original_->invoke();
#else
    try {
      original_->invoke();
    } catch (TestSkipException const&) {
      // The skipping is noted already.
    }
#endif
  }

  Original original_;
};

/// Gives the invoker of a test, which is private: in the arguments of an explicit instantiation names are not
/// checked for access.
struct Invoker {
  using Member = SearchingInvoker::Original TestHandle::*;
  friend Member reach(Invoker);
};
template <typename Tag, typename Tag::Member member>
struct Opened {
  friend typename Tag::Member reach(Tag /*tag*/) { return member; }
};
#if defined(HOCKET_CATCH2_2)
template struct Opened<Invoker, &TestCase::test>;
#else
template struct Opened<Invoker, &TestCaseHandle::m_invoker>;
#endif

inline void exchange_invoker(TestHandle const& test) {
  SearchingInvoker::Original& invoker = const_cast<TestHandle&>(test).*reach(Invoker());
  auto searching = std::make_shared<SearchingInvoker>(invoker);
#if defined(HOCKET_CATCH2_2)
  invoker = std::move(searching);
#else
  static std::vector<std::shared_ptr<SearchingInvoker> > owned;
  invoker = owned.emplace_back(std::move(searching)).get();
#endif
}

inline bool is_hidden(TestHandle const& test) {
#if defined(HOCKET_CATCH2_2)
  return test.isHidden();
#else
  return test.getTestCaseInfo().isHidden();
#endif
}

/// The number of tests that will run.
inline std::size_t tests_to_run(IConfig const& config) {
  std::vector<TestHandle> const& all = getAllTestCasesSorted(config);
  if (config.hasTestFilters()) return filterTests(all, config.testSpec(), config).size();
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](TestHandle const& test) { return !is_hidden(test); }));
}

struct Listener final : ListenerBase {
  using ListenerBase::ListenerBase;

  void testRunStarting(TestRunInfo const& /*info*/) override {
    listen_to_assertions = []() -> std::shared_ptr<void> { return std::make_shared<Listening>(); };
    run.is_at_work = are_tests_to_be_exchanged();
    if (!run.is_at_work) return;
    for (TestHandle const& test : getRegistryHub().getTestCaseRegistry().getAllTests())
      exchange_invoker(test);
    ExistingTests::instance().begin(tests_to_run(*m_config));
  }
  void testCaseStarting(TestCaseInfo const& info) override {
    run.test = &info;
    run.part = 0;
    note_test_begins();
  }
  void testCaseEnded(TestCaseStats const& /*stats*/) override { note_test_ends(); }
  void testRunEnded(TestRunStats const& /*stats*/) override {
    fresh_start::show_output();  // if the test that died was left out this time
    run.is_at_work ? print_summary() : tell(line_on_tests_not_searched());
  }
};

std::vector<std::string> names_of_tests() {
  std::vector<std::string> names;
  for (TestHandle const& test : getRegistryHub().getTestCaseRegistry().getAllTests()) {
#if defined(HOCKET_CATCH2_2)
    names.push_back(test.name);
#else
    names.push_back(test.getTestCaseInfo().name);
#endif
  }
  return names;
}

}  // namespace hocket::adapters

using HocketListener = hocket::adapters::Listener;  // the macro makes other names of it
CATCH_REGISTER_LISTENER(HocketListener)

namespace hocket::testing {

void explore(const std::function<void()>& body, const Options& options) {
  const std::string failure = adapters::failure_of(std::string(adapters::run.test->name), body, options);
  if (!failure.empty()) adapters::fail_test(failure);
}

}  // namespace hocket::testing
