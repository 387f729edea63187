#include "existing_tests.hpp"

#include <algorithm>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../api/number_text.hpp"
#include "../process/interrupt.hpp"
#include "../search/settings.hpp"
#include "explore_exactly.hpp"
#include "whole_test.hpp"

namespace hocket {

namespace {

using std::chrono::nanoseconds;

/// A share that is shorter is not worth a search.
constexpr nanoseconds kLeastShare = std::chrono::milliseconds(10);

Options usual_options() {
  Options options;
  options.max_steps = runtime::kMaxPositions;
  return with_settings(options);
}

/// How an execution may grow from one schedule to the other.
std::uint32_t step_limit_after(const FirstLook& look) {
  constexpr std::uint32_t kLeast = 20'000;
  constexpr std::uint32_t kGrowth = 10;
  return std::min(std::max(kLeast, look.steps) * kGrowth, runtime::kMaxPositions);
}

void conclude(ExistingTest& test) {
  const Report& report = test.report;
  const auto is_complete = [](const BoundReport& bound) { return bound.complete; };
  const auto covered = static_cast<unsigned>(
      std::find_if_not(report.bounds.begin(), report.bounds.end(), is_complete) - report.bounds.begin());
  switch (report.verdict) {
    case Verdict::failed:
    case Verdict::nondeterministic:
      test.end = TestEnd::failed;
      break;
    case Verdict::passed_exhaustively:
      test.end = TestEnd::exhausted;
      break;
    case Verdict::passed_within_bound:
      test.end = TestEnd::covered;
      break;
    case Verdict::passed_sample:
      test.end = TestEnd::sampled;
      break;
    case Verdict::stopped:
      test.end = is_interruption(report.stopped_by) ? TestEnd::interrupted
                 : covered == 0                     ? TestEnd::sampled
                                                    : TestEnd::covered;
      break;
  }
  test.bound = covered == 0 ? 0 : covered - 1;
}

}  // namespace

bool ExistingTest::is_unfinished() const {
  return has_report && !report.failed() && end != TestEnd::interrupted &&
         report.stopped_by.starts_with("the time limit");
}

std::string ExistingTest::text() const {
  switch (end) {
    case TestEnd::failed_alone:
      return "fails without concurrency: " + look.failure + "\n" +
             (look.output.empty() ? "" : "The body printed:\n" + look.output);
    case TestEnd::too_long:
      return fmt::format(
          "not searched: one execution does not end within {} steps, the most that it may have\n",
          number_text(look.steps));
    default:
      return has_report ? to_text(report) : std::string{};
  }
}

std::string ExistingTest::failure() const {
  if (!has_failed()) return {};
  if (end == TestEnd::failed_alone) return "fails without concurrency: " + look.failure;
  if (report.failures.empty()) return "does not do the same under the same schedule: " + report.explanation;
  const FoundFailure& first = report.failures.front();
  std::string text = std::string(runtime::to_string(first.kind)) + ": " + first.message;
  if (!first.where.empty()) text += "\n  at " + first.where;
  if (!first.schedule_file.empty()) text += "\nThe schedule is saved in " + first.schedule_file;
  return text;
}

ExistingTests& ExistingTests::instance() {
  static ExistingTests tests;
  return tests;
}

bool ExistingTests::are_asked_for() {
  return settings().all_tests.has_value();
}

std::string ExistingTests::to_be_replayed() {
  return settings().replays_whole_test ? settings().replay_test : std::string{};
}

std::string ExistingTests::why_not() {
  if (runtime::execution.host != nullptr) return {};
  return "hocket: --hocket_all_tests needs a program whose code is instrumented: call "
         "hocket_instrument(<target>) in CMakeLists.txt";
}

void ExistingTests::begin(std::size_t tests) {
  tests_.clear();
  left_ = tests;
  begin_ = Clock::now();
  end_ = begin_ + settings().all_tests.value_or(nanoseconds(0));
}

nanoseconds ExistingTests::next_share() {
  const nanoseconds left = std::max<nanoseconds>(end_ - Clock::now(), nanoseconds(0));
  const nanoseconds share = left / static_cast<std::int64_t>(std::max<std::size_t>(left_, 1));
  if (left_ != 0) --left_;
  return std::max(share, kLeastShare);
}

ExistingTest& ExistingTests::entry(const std::string& name) {
  const auto known =
      std::find_if(tests_.begin(), tests_.end(), [&](const ExistingTest& test) { return test.name == name; });
  if (known != tests_.end()) return *known;
  tests_.push_back({});
  tests_.back().name = name;
  return tests_.back();
}

const ExistingTest& ExistingTests::run(const std::string& name, const std::function<void()>& body) {
  const WholeTestGuard guard;
  ExistingTest& test = entry(name);
  const nanoseconds share = next_share();
  const Clock::time_point begin = Clock::now();
  if (!to_be_replayed().empty()) {
    search(test, body, nanoseconds(0));
    return test;
  }
  if (!test.has_report) look(test, body);
  if (test.has_report || test.end == TestEnd::sampled)
    search(test, body, std::max(share - (Clock::now() - begin), kLeastShare));
  return test;
}

void ExistingTests::look(ExistingTest& test, const std::function<void()>& body) {
  test.look = first_look(test.name, body, usual_options());
  const FirstLook& look = test.look;
  if (look.searches_itself) {
    test.end = TestEnd::searches_itself;
  } else if (look.is_skipped) {
    test.end = TestEnd::skipped;
  } else if (look.is_at_step_limit) {
    test.end = TestEnd::too_long;
  } else if (look.is_sequential()) {
    test.end = look.outcome == runtime::Outcome::failed ? TestEnd::failed_alone : TestEnd::no_concurrency;
  } else {
    test.end = TestEnd::sampled;  // until it is known better
  }
}

void ExistingTests::search(ExistingTest& test, const std::function<void()>& body, nanoseconds time) {
  Options options;
  options.max_steps = step_limit_after(test.look);
  if (test.look.is_long()) options.strategy = "mix";
  options = with_settings(std::move(options));
  const bool is_shorter = time < options.time_limit || options.time_limit.count() == 0;
  if (options.replay.empty() && is_shorter) options.time_limit = time;
  test.report = explore_exactly(test.name, body, options);
  test.has_report = true;
  conclude(test);
}

Ruling ExistingTests::search_part(const std::string& name, unsigned part, const std::function<void()>& body) {
  const std::string full_name = part == 1 ? name : fmt::format("{} #{}", name, part);
  const std::string replayed = to_be_replayed();
  if (!replayed.empty() && replayed != full_name) {
    // A later part is reached by way of those before it.
    const bool is_on_the_way = replayed.starts_with(name + " #");
    if (is_on_the_way) first_look(full_name, body, usual_options());
    return {.run_as_it_is = is_on_the_way};
  }
  if (!past_interruption().empty()) return {.text = fmt::format("not run after {}\n", past_interruption())};
  const ExistingTest& test = run(full_name, body);
  const bool is_left = test.has_failed() || test.end == TestEnd::too_long ||
                       test.end == TestEnd::interrupted || !replayed.empty();
  Ruling ruling{.run_as_it_is = !is_left, .failure = test.failure()};
  if (test.end != TestEnd::failed_alone) ruling.text = test.text();
  if (test.end == TestEnd::skipped && !test.look.reason_to_skip.empty())
    ruling.text = full_name + ": not searched: " + test.look.reason_to_skip + "\n";
  return ruling;
}

std::vector<std::string> ExistingTests::begin_next_round() {
  std::vector<std::string> names;
  double longest = 0;  // search of this round
  for (const ExistingTest& test : tests_) {
    if (!test.is_unfinished()) continue;
    names.push_back(test.name);
    longest = std::max(longest, test.report.seconds);
  }
  left_ = names.size();
  const double seconds_left = std::chrono::duration<double>(end_ - Clock::now()).count();
  if (seconds_left < 2 * longest * static_cast<double>(left_)) return {};  // it would not get much further
  return names;
}

}  // namespace hocket
