// The table at the end of a search of all tests: what became of each.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/terms/utf8.hpp"
#include "../api/number_text.hpp"
#include "../api/text_width.hpp"
#include "../report/last_line.hpp"
#include "../schedules/step_table.hpp"
#include "existing_tests.hpp"

namespace hocket {

namespace {

constexpr unsigned kLeastWidth = 60;

std::string spaces(std::size_t count) {
  std::string text;
  text.append(count, ' ');
  return text;
}

std::string tests_text(std::size_t count) {
  return count_text(count, "test");
}

std::string result_of(const ExistingTest& test) {
  switch (test.end) {
    case TestEnd::failed:
      return test.is_nondeterministic ? "NONDETERMINISTIC" : "FAILED";
    case TestEnd::failed_alone:
      return "FAILED, no concurrency";
    case TestEnd::died:
      return "FAILED, crashed";
    case TestEnd::exhausted:
      return "exhausted";
    case TestEnd::covered:
      return fmt::format("covered to bound {}", test.bound);
    case TestEnd::sampled:
      return test.look.is_long() ? "sampled, long" : "sampled";
    case TestEnd::no_concurrency:
      return "no concurrency";
    case TestEnd::too_long:
      return "too long";
    case TestEnd::too_many_threads:
      return "too many threads";
    case TestEnd::too_slow:
      return "too slow";
    case TestEnd::skipped:
      return "skipped";
    case TestEnd::searches_itself:
      return "its own search";
    case TestEnd::interrupted:
      return "interrupted";
  }
  return {};
}

/// The table of the tests that have something to say.
class Table {
 public:
  /// The longest name has so many columns.
  Table(unsigned width, std::size_t longest, bool color)
      : name_columns_(std::min<std::size_t>(width - kOtherColumns, longest)), color_(color) {}

  void add_head() { add("test", "result", "executions", "time", Style::plain); }

  void add(const ExistingTest& test) {
    add(utf8::printable(test.name), result_of(test),
        test.is_searched ? number_text(test.executions) : std::string{},
        test.is_searched ? duration_text(test.seconds) : std::string{},
        test.has_failed() ? Style::failure : Style::plain);
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static constexpr unsigned kOtherColumns = 2 + 2 + 22 + 2 + 10 + 2 + 7;

  void add(std::string_view name, std::string_view result, std::string_view executions, std::string_view time,
      Style style) {
    std::string line = "  " + std::string(name);
    const std::size_t columns = utf8::columns(name);
    if (columns > name_columns_) line += "\n  ";  // the rest is below
    const std::size_t used = columns > name_columns_ ? 0 : columns;
    line += spaces(name_columns_ - used) + fmt::format("  {:<22}  {:>10}  {:>7}", result, executions, time);
    while (line.back() == ' ') line.pop_back();
    text_ += painted(line, style, color_) + "\n";
  }

  std::size_t name_columns_;
  bool color_;
  std::string text_;
};

/// "Basic: Sorts, Merges; Other: Adds"
std::string names_by_suite(const std::vector<ExistingTest>& tests) {
  std::vector<std::string> suites;
  std::map<std::string, std::string> names;
  for (const ExistingTest& test : tests) {
    if (test.end != TestEnd::no_concurrency) continue;
    const std::size_t dot = test.name.find('.');
    const std::string suite = dot == std::string::npos ? "" : test.name.substr(0, dot);
    std::string& list = names[suite];
    if (list.empty()) suites.push_back(suite);
    list += (list.empty() ? "" : ", ") + test.name.substr(dot == std::string::npos ? 0 : dot + 1);
  }
  std::string text;
  for (const std::string& suite : suites)
    text += (text.empty() ? "" : "; ") + (suite.empty() ? "" : suite + ": ") + names[suite];
  return utf8::printable(text);
}

/// What makes the executions of a test long.
std::string why_long(const ExistingTest& test) {
  const FirstLook& look = test.look;
  std::string text = utf8::printable(test.name) + ": one execution has ";
  text += (test.end == TestEnd::too_long ? "more than " : "") + number_text(look.steps) + " steps";
  text += fmt::format(" of {} {}.", look.threads, look.threads == 1 ? "thread" : "threads");
  if (look.busy_places.empty()) return text;
  text += look.placed_steps < look.steps ? " Of the first " + number_text(look.placed_steps) + ", "
                                         : std::string(" ");
  for (std::size_t n = 0; n < look.busy_places.size(); ++n) {
    const BusyPlace& place = look.busy_places[n];
    text +=
        (n == 0 ? "" : ", ") + number_text(place.steps) + (n == 0 ? " are made at " : " at ") + place.where;
  }
  return text + ".";
}

std::string long_tests(const std::vector<ExistingTest>& tests, unsigned width) {
  std::string text;
  for (const ExistingTest& test : tests) {
    if (test.look.is_long() && test.end != TestEnd::searches_itself)
      text += wrapped(why_long(test), width) + "\n";
  }
  if (text.empty()) return {};
  return "\n" +
         wrapped(
             "Long executions, of whose schedules a search can run only a few. Fewer rounds of the loops "
             "around these places, or fewer threads, let it run more of them:",
             width, 0) +
         "\n" + text;
}

}  // namespace

std::string ExistingTests::summary(unsigned width, bool color) const {
  width = std::max(width, kLeastWidth);
  const auto count = [&](auto is_meant) {
    return static_cast<std::size_t>(std::count_if(tests_.begin(), tests_.end(), is_meant));
  };
  const std::size_t sequential =
      count([](const ExistingTest& test) { return test.end == TestEnd::no_concurrency; });
  const std::size_t searched = count([](const ExistingTest& test) { return test.is_searched; });
  const std::size_t unfinished = count([](const ExistingTest& test) { return test.is_unfinished; });
  std::string text = fmt::format("Hocket searched {} of {} in {}.\n", number_text(searched),
      tests_text(tests_.size()), duration_text(std::chrono::duration<double>(Clock::now() - begin_).count()));
  if (sequential != tests_.size()) {
    std::size_t longest = 0;
    for (const ExistingTest& test : tests_)
      longest = std::max(longest, utf8::columns(utf8::printable(test.name)));
    Table table(width, longest, color);
    table.add_head();
    for (const ExistingTest& test : tests_) {
      if (test.end != TestEnd::no_concurrency) table.add(test);
    }
    text += "\n" + table.text();
  }
  if (sequential != 0)
    text += "\n" + wrapped("No concurrency, run once: " + names_by_suite(tests_) + ".", width) + "\n";
  text += long_tests(tests_, width);
  const auto hint = [&](std::size_t tests, const std::string& what) {
    if (tests != 0) text += "\n" + wrapped(what, width, 0) + "\n";
  };
  hint(count([](const ExistingTest& test) { return test.ended_at_race; }), std::string(kAfterRace));
  const auto is_sealed = [](const ExistingTest& test) { return !test.sealed.empty(); };
  if (const auto sealed = std::find_if(tests_.begin(), tests_.end(), is_sealed); sealed != tests_.end())
    hint(count(is_sealed),
        "Left out of " + tests_text(count(is_sealed)) + ": preemptions " + sealed->sealed + ".");
  const std::size_t late = count([](const ExistingTest& test) { return test.has_late_timeouts; });
  hint(late, "Sleeps and timeouts of " + tests_text(late) +
                 " ended only where no thread could go on: --hocket_timeouts=any lets them end at any time.");
  if (unfinished != 0) {
    text += "\n" +
            wrapped("The time ran out for " + tests_text(unfinished) +
                        ": --hocket_all_tests=5m, for example, gives more.",
                width, 0) +
            "\n";
  }
  return text;
}

}  // namespace hocket
