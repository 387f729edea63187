#include "existing_tests.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <spdlog/fmt/fmt.h>
#include <nlohmann/json.hpp>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../api/bound_text.hpp"
#include "../api/number_text.hpp"
#include "../api/text_width.hpp"
#include "../options/settings.hpp"
#include "../process/interrupt.hpp"
#include "../report/report_file.hpp"
#include "../schedules/schedule_file.hpp"
#include "in_child.hpp"
#include "sections.hpp"

namespace hocket {

// What a child process has found out about a test, as text for its parent.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BusyPlace, where, steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    FirstLook, reason_to_skip, skipped_in, skipped_at, threads, steps, seconds, placed_steps, busy_places)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExistingTest, end, look, is_searched, is_unfinished, is_nondeterministic,
    sealed, has_late_timeouts, ended_at_race, bound, executions, seconds, sections, failure, text)

namespace {

using Json = nlohmann::json;
using std::chrono::nanoseconds;

/// Bytes that are not UTF-8 are replaced.
std::string text_of_record(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Reads what a child process has told. Throws std::runtime_error with its error, if it has told that.
void read_record(const std::string& record, ExistingTest& test) {
  const Json json = Json::parse(record);
  if (json.contains("error")) throw std::runtime_error(json.at("error").get<std::string>());
  json.get_to(test);
}

/// A share that is shorter is not worth a search.
constexpr nanoseconds kLeastShare = std::chrono::milliseconds(10);
/// The time that each test has for its first execution, even if none is left.
constexpr nanoseconds kLeastLook = std::chrono::seconds(1);
/// A search that needs no more is made in any case.
constexpr nanoseconds kSmallSearch = std::chrono::milliseconds(250);
/// A search runs the first schedule before it counts, to begin with, and again, to see that it is repeatable.
constexpr double kLeastExecutions = 4;

/// Detached threads that wait when a test ends are mostly workers of the program, which live as long as it
/// does. Tests that order their threads by sleeping mean sleeps to be longer than whatever else they do.
Options options_for_existing_tests() {
  Options options;
  options.detect = Detectors().without(Detector::detached_threads);
  options.timeouts = Timeouts::late;
  options.max_preemptions = unbounded;  // the time is the limit
  return options;
}

Options usual_options() {
  Options options = options_for_existing_tests();
  options.max_steps = runtime::kMaxPositions;
  return with_settings(options);
}

/// How an execution may grow from one schedule to the other.
std::uint32_t step_limit_after(const FirstLook& look) {
  constexpr std::uint32_t kLeast = 20'000;
  constexpr std::uint32_t kGrowth = 10;
  return std::min(std::max(kLeast, look.steps) * kGrowth, runtime::kMaxPositions);
}

TestEnd end_of(const Report& report, unsigned covered_bounds) {
  switch (report.verdict) {
    case Verdict::failed:
    case Verdict::nondeterministic:
      return TestEnd::failed;
    case Verdict::passed_exhaustively:
      return TestEnd::exhausted;
    case Verdict::passed_within_bound:
      return TestEnd::covered;
    case Verdict::passed_sample:
    case Verdict::passed_shard:
      return TestEnd::sampled;
    case Verdict::stopped:
      break;
  }
  if (is_interruption(report.stopped_by)) return TestEnd::interrupted;
  return covered_bounds == 0 ? TestEnd::sampled : TestEnd::covered;
}

/// Why the search has failed, in a few lines.
std::string failure_in(const Report& report) {
  if (!report.failed()) return {};
  if (report.failures.empty()) return "behaves differently under the same schedule: " + report.explanation;
  const FoundFailure& first = report.failures.front();
  const std::string kind(runtime::to_string(first.kind));
  std::string text = first.message.starts_with(kind) ? first.message : kind + ": " + first.message;
  if (!first.where.empty()) text += "\n  at " + first.where;
  if (!first.schedule_file.empty()) text += "\nThe schedule is saved in " + first.schedule_file;
  return text;
}

/// After schedules were sampled of a test of which a search has covered what it could.
void conclude_sample(ExistingTest& test, const Report& report) {
  test.executions += report.executions;
  test.seconds += report.seconds;
  test.text = fmt::format(
      "{}: passed {} more, chosen at random\n", test.name, count_text(report.executions, "execution"));
}

void conclude(ExistingTest& test, const Report& report) {
  const auto covered = static_cast<unsigned>(completed_bounds(report));
  test.end = end_of(report, covered);
  test.is_searched = true;
  test.is_unfinished =
      !report.failed() && test.end != TestEnd::interrupted && report.stopped_by.starts_with("the time limit");
  test.is_nondeterministic = report.verdict == Verdict::nondeterministic;
  test.sealed = report.sealed;
  test.has_late_timeouts = !report.late_timeouts.empty();
  test.ended_at_race = report.ended_at_race;
  test.bound = covered == 0 ? 0 : covered - 1;
  test.executions = report.executions;
  test.seconds = report.seconds;
  test.failure = failure_in(report);
  test.text = to_text(report, false, columns_of_output());
}

/// Whether the file is one of a thread that did not come to an operation for long.
bool is_stuck(const std::filesystem::path& file) {
  try {
    return read_schedule(file).kind == runtime::FailureKind::stuck;
  } catch (const ScheduleError&) {
    return false;
  }
}

/// Whether a signal has ended the process that asks this one, too, to stop.
bool is_asked_for(const runtime::platform::Ending& ending) {
  return !past_interruption().empty() &&
         (ending.signal == SIGINT || ending.signal == SIGTERM || ending.signal == SIGHUP);
}

/// An execution of the test has ended its process, which has said so itself if it could.
void conclude_death(
    ExistingTest& test, const runtime::platform::Ending& ending, bool has_looked, const Options& options) {
  const std::vector<std::filesystem::path> files = saved_schedules(options.schedule_dir, test.name);
  if (!has_looked && !files.empty() && is_stuck(files.back())) {
    // It may compute something, and is not to be tried again before each search.
    std::error_code ignored;
    std::filesystem::remove(files.back(), ignored);
    test.end = TestEnd::too_slow;
    test.text = test.name +
                ": not searched: in its first execution a thread computes, or hangs, for longer than "
                "--hocket_watchdog allows without an operation that Hocket sees, or than half of the time "
                "that is left; its schedule is not kept\n";
    return;
  }
  test.end = TestEnd::died;
  test.failure = "an execution ended its process, which " + to_text(ending);
  if (!files.empty())
    test.failure += "\nThe schedule is saved in " + files.back().lexically_normal().string();
  test.text = test.name + ": " + test.failure + "\n";
}

}  // namespace

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
  if (runtime::run.host != nullptr) return {};
  return "hocket: --hocket_all_tests needs a program whose code is instrumented: call "
         "hocket_instrument(<target>) in CMakeLists.txt";
}

void ExistingTests::begin(std::size_t tests) {
  tests_.clear();
  left_ = tests;
  begin_ = Clock::now();
  time_ = settings().all_tests.value_or(nanoseconds(0));
  is_sampling_ = false;
  round_ = 0;
}

nanoseconds ExistingTests::next_share() {
  const nanoseconds share = left_time() / static_cast<std::int64_t>(std::max<std::size_t>(left_, 1));
  if (left_ != 0) --left_;
  return std::max(share, kLeastShare);
}

nanoseconds ExistingTests::time_for_search(const ExistingTest& test) {
  return std::chrono::duration_cast<nanoseconds>(
      std::chrono::duration<double>(kLeastExecutions * test.look.seconds));
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
  if (!to_be_replayed().empty()) {
    search(test, body, nanoseconds(0));
  } else if (can_work_in_child()) {
    run_in_child(test, body, share);
  } else {
    run_here(test, body, share, [] {});
  }
  return test;
}

// So a test that ends its process ends no other one, and what it leaves is left to none.
void ExistingTests::run_in_child(ExistingTest& test, const std::function<void()>& body, nanoseconds share) {
  constexpr std::string_view kLooked = "looked\n";
  ChildWork done = work_in_child([&](const Tell& tell) {
    try {
      is_in_child_ = true;
      run_here(test, body, share, [&] { tell(kLooked); });
      tell(text_of_record(test));
    } catch (const std::exception& error) {
      tell(text_of_record({{"error", error.what()}}));
    }
  });
  const bool has_looked = done.text.starts_with(kLooked);
  if (has_looked) done.text.erase(0, kLooked.size());
  if (!done.is_complete && is_asked_for(done.ending)) {
    test.end = TestEnd::interrupted;
    test.text = test.name + ": not searched: interrupted\n";
  } else if (done.is_complete) {
    read_record(done.text, test);
    sections::read_record(test.sections);
  } else {
    conclude_death(test, done.ending, has_looked, usual_options());
  }
  if (test.end == TestEnd::too_slow) {
    announce_in_report_file({});  // without what the child has written of a failure
  } else {
    adopt_report_file();
  }
}

void ExistingTests::run_here(ExistingTest& test, const std::function<void()>& body, nanoseconds share,
    const std::function<void()>& looked) {
  const Clock::time_point begin = Clock::now();
  if (!test.is_searched) look(test, body);
  looked();
  const nanoseconds left = std::max<nanoseconds>(share - (Clock::now() - begin), kLeastShare);
  const nanoseconds spare = std::min(time_ / 10, left_time());  // others need less
  const nanoseconds most = std::max({left, spare, kSmallSearch});
  if (test.is_searched || (test.end == TestEnd::sampled && time_for_search(test) <= most)) {
    search(test, body, left);
  } else if (test.end == TestEnd::sampled) {
    test.end = TestEnd::too_slow;
    test.is_unfinished = true;
    test.text = fmt::format(
        "{}: not searched: one execution takes {}, too long for {}, its share of the time\n", test.name,
        duration_text(test.look.seconds), duration_text(std::chrono::duration<double>(most).count()));
  }
  test.sections = sections::to_record();
}

void ExistingTests::look(ExistingTest& test, const std::function<void()>& body) {
  Options options = usual_options();
  options.time_limit = std::max<nanoseconds>(left_time() / 2, kLeastLook);
  // In this process a hang would end the other tests, too.
  if (is_in_child_ && options.watchdog.count() != 0)
    options.watchdog = std::min(options.watchdog, options.time_limit);
  test.look = first_look(test.name, body, options);
  const FirstLook& look = test.look;
  if (look.searches_itself) {
    test.end = TestEnd::searches_itself;
  } else if (look.is_skipped) {
    test.end = TestEnd::skipped;
    test.text = test.name + ": not searched: " + look.reason_to_skip + "\n";
  } else if (look.is_out_of_time) {
    test.end = TestEnd::too_slow;
    test.text = fmt::format(
        "{}: not searched: its first execution did not end in {}, half of the time that was left\n",
        test.name, duration_text(std::chrono::duration<double>(options.time_limit).count()));
  } else if (look.outcome == runtime::Outcome::interrupted) {
    test.end = TestEnd::interrupted;
    test.text = test.name + ": not searched: interrupted\n";
  } else if (look.is_at_step_limit) {
    test.end = TestEnd::too_long;
    test.text = fmt::format(
        "{}: not searched: one execution does not end within {} steps, the most that it may have\n",
        test.name, number_text(look.steps));
  } else if (look.has_too_many_threads) {
    test.end = TestEnd::too_many_threads;
    test.text =
        fmt::format("{}: not searched: it has more than {} threads, the most that an execution may have\n",
            test.name, runtime::kMaxThreads);
  } else if (look.is_sequential() && look.outcome == runtime::Outcome::failed) {
    test.end = TestEnd::failed_alone;
    test.failure = "fails without concurrency: " + look.failure;
    if (!look.output.empty()) test.failure += "\nThe body printed:\n" + look.output;
  } else {
    // If there is something to search, this is until it is known better.
    test.end = look.is_sequential() ? TestEnd::no_concurrency : TestEnd::sampled;
  }
}

void ExistingTests::search(ExistingTest& test, const std::function<void()>& body, nanoseconds time) {
  Options options = options_for_existing_tests();
  options.max_steps = step_limit_after(test.look);
  if (test.look.is_long() || is_sampling_) options.strategy = "mix";
  options = with_settings(std::move(options));
  const bool is_shorter = time < options.time_limit || options.time_limit.count() == 0;
  if (options.replay.empty() && is_shorter) options.time_limit = time;
  const bool is_usual_minimize = options.minimize == Options{}.minimize;
  if (options.replay.empty() && is_usual_minimize)
    options.minimize = std::min(options.minimize, options.time_limit);
  options.seed += round_;  // not the same samples again
  const Report report = explore_exactly(test.name, body, options);
  const bool adds_a_sample = is_sampling_ && !report.failed();
  if (round_ != 0) keep_one_search(test.name, adds_a_sample);
  if (adds_a_sample) return conclude_sample(test, report);
  conclude(test, report);
  test.is_unfinished &= is_shorter;  // otherwise --hocket_time has ended it, and would do so again
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
  const bool is_left = test.has_failed() || test.end == TestEnd::too_long || test.end == TestEnd::too_slow ||
                       test.end == TestEnd::too_many_threads || test.end == TestEnd::interrupted ||
                       !replayed.empty();
  return {.run_as_it_is = !is_left, .failure = test.failure, .text = test.text};
}

std::vector<std::string> ExistingTests::begin_next_round() {
  std::vector<std::string> names;
  double longest = 0;  // search of this round
  for (const ExistingTest& test : tests_) {
    if (!test.is_unfinished) continue;
    if (!test.is_searched && time_for_search(test) > left_time() / 2) continue;
    names.push_back(test.name);
    longest = std::max(longest, test.seconds);
  }
  ++round_;
  left_ = names.size();
  const auto count = static_cast<std::int64_t>(left_);
  if (is_sampling_ || left_time() < 2 * kLeastShare * count) return {};
  // A search begins anew, and must get further than the last one.
  is_sampling_ =
      std::chrono::duration<double>(left_time()).count() < 2 * longest * static_cast<double>(left_);
  return names;
}

}  // namespace hocket
