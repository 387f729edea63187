#include <hocket/scheduler/search.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fnmatch.h>
#include <time.h>
#include <unistd.h>

#include <spdlog/fmt/fmt.h>
#include <hocket/runtime/operation.hpp>
#include <hocket/runtime/platform/build_id.hpp>
#include <hocket/scheduler/crash_file.hpp>
#include <hocket/scheduler/explore.hpp>
#include <hocket/scheduler/replay.hpp>
#include <hocket/scheduler/schedule_file.hpp>
#include <hocket/scheduler/settings.hpp>

namespace hocket {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSampleExecutions = 10'000;
constexpr std::size_t kMostFailures = 10;
constexpr std::uint64_t kRepeatEvery = 1000;  ///< sampling: every so many-th execution is run twice

volatile std::sig_atomic_t interrupted = 0;

/// Ctrl-C ends the search with the report so far; a second one ends the process.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &previous_);
  }
  ~InterruptGuard() { sigaction(SIGINT, &previous_, nullptr); }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction previous_ {};
};

/// A search owns the process's execution: there is one at a time, on one OS thread.
class SearchGuard {
 public:
  SearchGuard() {
    std::uintptr_t nobody = 0;
    std::atomic_ref searching(runtime::searching_os_thread);
    if (!searching.compare_exchange_strong(nobody, runtime::platform::os_thread_id())) {
      throw std::logic_error(
          "hocket: explore() was called while another search runs in this process; run one after the other");
    }
    runtime::execution.forget_outside_objects();
    previous_terminate_ = std::set_terminate([] {
      if (runtime::is_controlled()) runtime::execution.terminated();
      std::abort();
    });
  }
  ~SearchGuard() {
    std::set_terminate(previous_terminate_);
    runtime::execution.forget_outside_objects();
    std::atomic_ref(runtime::searching_os_thread).store(0);
  }
  SearchGuard(const SearchGuard&) = delete;
  SearchGuard& operator=(const SearchGuard&) = delete;

 private:
  std::terminate_handler previous_terminate_;
};

/// The monotonic clock at a resolution of some milliseconds, a few nanoseconds a call: it is read at every
/// execution.
Clock::time_point coarse_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return Clock::time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

/// One line to the person at the terminal, who sees nothing of what is printed while the body's output is put
/// aside.
template <class... Arguments>
void warn(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  const std::string line =
      "hocket: warning: " + fmt::format(text, std::forward<Arguments>(arguments)...) + "\n";
  static_cast<void>(!write(OutputGate::real_stderr(), line.data(), line.size()));
}

std::string in_words(const runtime::Trace& trace, std::size_t step) {
  if (step >= trace.choices().size()) return "nothing: it has ended";
  const runtime::Trace::Choice& choice = trace.choices()[step];
  std::string text = trace.threads()[choice.thread].label + ": " + std::string(to_string(choice.operation));
  if (!choice.object.empty()) text += " " + choice.object;
  if (!choice.where.empty()) text += " at " + choice.where;
  return text;
}

bool same_step(const runtime::Trace::Choice& a, const runtime::Trace::Choice& b) {
  return a.is_value == b.is_value && a.thread == b.thread && a.operation == b.operation &&
         a.object == b.object && a.count == b.count && a.where == b.where;
}

void check_options(const Options& options) {
  if (options.max_steps == 0 || options.max_steps > runtime::kMaxPositions) {
    throw std::invalid_argument(fmt::format(
        "hocket: max_steps is {}; it must be between 1 and {}", options.max_steps, runtime::kMaxPositions));
  }
  constexpr std::size_t kLeastStack = std::size_t{16} * 1024;
  constexpr std::size_t kMostStack = std::size_t{1} << 30U;
  if (options.stack_size < kLeastStack || options.stack_size > kMostStack) {
    throw std::invalid_argument(fmt::format("hocket: stack_size is {}; it must be between {} and {} bytes",
        options.stack_size, kLeastStack, kMostStack));
  }
  if (options.time_limit.count() < 0) throw std::invalid_argument("hocket: time_limit is negative");
}

}  // namespace

std::unique_ptr<Strategy> make_strategy(const Options& options) {
  if (options.strategy == "icb") return make_icb(options);
  if (options.strategy == "dfs") return make_dfs(options);
  if (options.strategy == "random") return make_random(options);
  if (options.strategy == "cb-por") return make_cb_por(options);
  throw std::invalid_argument(
      "hocket: there is no strategy \"" + options.strategy + "\"; there are icb, dfs and random");
}

Search::Search(std::string test, const std::function<void()>& body, const Options& options)
    : body_(body), options_(options), strategy_(make_strategy(options)) {
  check_options(options);
  report_.test = std::move(test);
  report_.strategy = options.strategy;
  max_executions_ = options.max_executions;
  if (max_executions_ == 0 && strategy_->is_sampling() && options.time_limit.count() == 0) {
    max_executions_ = kSampleExecutions;
  }
}

runtime::ExecutionOptions Search::execution_options() const {
  runtime::ExecutionOptions options;
  options.max_steps = options_.max_steps;
  options.stack_size = options_.stack_size;
  options.spurious_wakeups = options_.spurious_wakeups;
  options.spurious_failures = options_.spurious_failures;
  return options;
}

Report Search::run() {
  const SearchGuard guard;
  const InterruptGuard interrupt_guard;
  if (!options_.show_output) gate_ = std::make_unique<OutputGate>();
  begin_ = Clock::now();
  if (!options_.replay.empty()) {
    follow_file();
  } else {
    const CrashFile crash_file(describe(runtime::Failure{}, runtime::Trace{}),
        options_.save_schedules ? options_.schedule_dir : std::string{});
    if (options_.try_saved) follow_saved_failures();
    if (report_.verdict != Verdict::failed) explore();
  }
  progress_.clear();
  gate_.reset();
  report_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  return std::move(report_);
}

// ---------------------------------------------------------------------------------------------------------------------
// The loop

void Search::explore() {
  runtime::ExecutionOptions options = execution_options();
  options.observer = strategy_->observer();
  needs_clock_ = options_.time_limit.count() != 0 || progress_.is_shown();
  deadline_ =
      options_.time_limit.count() != 0 ? Clock::now() + options_.time_limit : Clock::time_point::max();
  unsigned bound = 0;
  std::uint64_t in_hand = 0;  // taken from the strategy and not run
  report_.verdict = Verdict::stopped;
  for (;;) {
    if (!strategy_->next()) {
      conclude_within_bound();
      break;
    }
    if (is_over()) {
      in_hand = strategy_->is_sampling() ? 0 : 1;
      break;
    }
    if (strategy_->bound() != bound) {
      const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
      for (; bound < strategy_->bound(); ++bound) {
        bound_report(bound).complete = true;
        progress_.bound_done(report_, bound, strategy_->pending().items, seconds);
      }
    }
    const runtime::ExecutionResult result = runtime::execution.run(body_, *strategy_, options);
    if (result.outcome == runtime::Outcome::failed) {
      // What branches off is noted before the failing execution is run again, which overwrites the log.
      const std::vector<std::uint16_t> codes = codes_of(result.log);
      account(result);
      if (!strategy_->finished(result)) {
        explain_divergence();
        break;
      }
      failed(codes, result.hash);
      if (report_.verdict == Verdict::nondeterministic) break;
      if (!options_.keep_going || report_.failures.size() >= kMostFailures) break;
      continue;
    }
    account(result);
    if (!strategy_->finished(result)) {
      explain_divergence();
      break;
    }
    if (strategy_->is_sampling() && report_.executions % kRepeatEvery == 0 && !recurs(result)) break;
  }
  const PendingWork work = strategy_->pending();
  report_.pending = work.items + in_hand;
  report_.class_bytes = classes_.bytes() + failed_classes_.bytes();
  report_.abandoned = abandoned_;
  if (!report_.failures.empty() && report_.verdict != Verdict::nondeterministic)
    report_.verdict = Verdict::failed;
}

bool Search::is_over() {
  if (interrupted != 0) {
    report_.stopped_by = "Ctrl-C";
    return true;
  }
  if (max_executions_ != 0 && report_.executions + report_.dropped >= max_executions_) {
    report_.stopped_by = fmt::format("the limit of {} executions", number_text(max_executions_));
    if (strategy_->is_sampling() && report_.executions != 0) report_.verdict = Verdict::passed_sample;
    return true;
  }
  if (needs_clock_) {
    const Clock::time_point now = coarse_now();
    if (now >= deadline_) {
      report_.stopped_by =
          "the time limit of " + duration_text(std::chrono::duration<double>(options_.time_limit).count());
      if (strategy_->is_sampling() && report_.executions != 0) report_.verdict = Verdict::passed_sample;
      return true;
    }
    if (progress_.is_shown()) progress_.tick(report_, *strategy_, begin_, now);
  }
  // The frontier is measured now and then only: it grows by little in an execution.
  if ((++turns_ & 0xffU) == 0) {
    measure_frontier();
    if (options_.memory_limit != 0 && report_.frontier_bytes_now + classes_.bytes() > options_.memory_limit) {
      report_.stopped_by = fmt::format("the memory limit of {} bytes", number_text(options_.memory_limit));
      return true;
    }
  }
  return false;
}

void Search::measure_frontier() {
  const PendingWork work = strategy_->pending();
  report_.frontier_bytes_now = work.bytes;
  if (work.items > report_.frontier_peak_items) {
    report_.frontier_peak_items = work.items;
    report_.frontier_peak_bytes = work.bytes;
  }
}

void Search::conclude_within_bound() {
  for (BoundReport& bound : report_.bounds) bound.complete = true;
  if (report_.executions == 0) {  // every execution was dropped
    report_.stopped_by = "assume(), which dropped every execution";
    return;
  }
  report_.verdict = strategy_->left_out_any() ? Verdict::passed_within_bound : Verdict::passed_exhaustively;
  if (abandoned_ != 0) warn("{} executions left a stack behind that could not be unwound", abandoned_);
}

BoundReport& Search::bound_report(unsigned bound) {
  if (report_.bounds.size() <= bound) report_.bounds.resize(bound + 1);
  return report_.bounds[bound];
}

void Search::account(const runtime::ExecutionResult& result) {
  report_.steps += result.log.size;
  abandoned_ += result.abandoned ? 1 : 0;
  if (result.outcome == runtime::Outcome::dropped) {
    ++report_.dropped;
    return;
  }
  if (result.outcome == runtime::Outcome::diverged) return;
  ++report_.executions;
  const bool passed = result.outcome == runtime::Outcome::completed;
  const bool is_new = (passed ? classes_ : failed_classes_).insert(result.hash);
  (passed ? report_.classes : report_.failed_classes) += is_new ? 1 : 0;
  if (!strategy_->has_bounds()) return;
  BoundReport& bound = bound_report(strategy_->bound());
  ++bound.executions;
  if (passed) {
    bound.classes += is_new ? 1 : 0;
  } else {
    ++bound.failures;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Failures

Schedule Search::describe(const runtime::Failure& failure, const runtime::Trace& trace) const {
  Schedule schedule;
  schedule.test = report_.test;
  schedule.binary = runtime::platform::path_of_this_program();
  schedule.build_id = runtime::platform::build_id_of_this_program();
  schedule.strategy = options_.strategy;
  schedule.seed = options_.seed;
  schedule.max_steps = options_.max_steps;
  schedule.stack_size = options_.stack_size;
  schedule.spurious_wakeups = options_.spurious_wakeups;
  schedule.spurious_failures = options_.spurious_failures;
  schedule.kind = failure.kind;
  schedule.message = failure.message;
  schedule.where = runtime::Trace::place(failure.where);
  schedule.executions = report_.executions == 0 ? 0 : report_.executions - 1;
  schedule.threads = trace.threads();
  schedule.choices = trace.choices();
  for (const runtime::Trace::Choice& choice : schedule.choices) schedule.bound += choice.price;
  return schedule;
}

void Search::add_failure(Schedule schedule, std::string output, const std::string& already_saved_in) {
  FoundFailure found;
  found.kind = schedule.kind;
  found.message = schedule.message;
  found.where = schedule.where;
  found.bound = schedule.bound;
  found.executions = schedule.executions;
  found.output = std::move(output);
  found.schedule_file = already_saved_in;
  if (already_saved_in.empty() && options_.save_schedules) {
    try {
      found.schedule_file = save_new(schedule, options_.schedule_dir).lexically_normal().string();
    } catch (const ScheduleError& error) {
      found.not_saved_because = error.what();
    }
  }
  found.schedule = std::make_shared<const Schedule>(std::move(schedule));
  report_.failures.push_back(std::move(found));
  report_.verdict = Verdict::failed;
}

// The failing execution is run again, recorded. Only then is there something to show, and it is certain that
// it recurs.
void Search::failed(const std::vector<std::uint16_t>& codes, const runtime::ClassHash& hash) {
  const runtime::Failure first = runtime::execution.failure();
  if (!signatures_.insert(first.signature).second) return;
  runtime::Trace trace;
  FollowCodes chooser(codes);
  runtime::ExecutionOptions options = execution_options();
  options.trace = &trace;
  if (gate_ != nullptr) gate_->begin_capture();
  const runtime::ExecutionResult again = runtime::execution.run(body_, chooser, options);
  std::string output = gate_ != nullptr ? gate_->end_capture() : std::string{};
  const runtime::Failure& second = runtime::execution.failure();
  if (again.outcome != runtime::Outcome::failed || second.kind != first.kind || again.hash != hash) {
    report_.verdict = Verdict::nondeterministic;
    report_.explanation = "an execution failed (" + std::string(to_string(first.kind)) + ": " +
                          first.message + "), but " +
                          (again.outcome == runtime::Outcome::failed ? "failed in another way" : "passed") +
                          " when it was run again under the same schedule";
    return;
  }
  add_failure(describe(second, trace), std::move(output), {});
}

bool Search::recurs(const runtime::ExecutionResult& result) {
  const std::vector<std::uint16_t> codes = codes_of(result.log);
  FollowCodes chooser(codes);
  const runtime::ClassHash hash = result.hash;
  const runtime::Outcome outcome = result.outcome;
  const runtime::ExecutionResult again = runtime::execution.run(body_, chooser, execution_options());
  if (again.outcome == outcome && again.hash == hash && again.log.size == codes.size()) return true;
  report_.verdict = Verdict::nondeterministic;
  report_.explanation =
      fmt::format("execution {} went another way when it was run again under the same schedule",
          number_text(report_.executions));
  return false;
}

// The run that was to branch off from its parent did not get there, or found something else there. Both are
// run again, recorded, to find the step at which they part.
void Search::explain_divergence() {
  report_.verdict = Verdict::nondeterministic;
  const std::vector<Deviation> deviations = strategy_->deviations();
  runtime::ExecutionOptions options = execution_options();
  const auto record = [&](std::vector<Deviation> path, runtime::Trace& trace) {
    FollowDeviations chooser(std::move(path));
    options.trace = &trace;
    runtime::execution.run(body_, chooser, options);
  };
  std::vector<Deviation> parents = deviations;
  if (!parents.empty()) parents.pop_back();
  runtime::Trace parent;
  runtime::Trace child;
  record(parents, parent);
  record(deviations, child);
  const std::size_t until = deviations.empty() ? parent.choices().size() : deviations.back().position;
  for (std::size_t step = 0; step < until; ++step) {
    const bool both = step < parent.choices().size() && step < child.choices().size();
    if (both && same_step(parent.choices()[step], child.choices()[step])) continue;
    if (step >= parent.choices().size() && step >= child.choices().size()) break;
    report_.explanation = fmt::format("under the same schedule, step {} was once \"{}\" and once \"{}\"",
        step + 1, in_words(parent, step), in_words(child, step));
    return;
  }
  report_.explanation =
      fmt::format("a schedule did not lead to its step {} again; run again, it does", until + 1);
}

// ---------------------------------------------------------------------------------------------------------------------
// Saved schedules

void Search::follow_saved_failures() {
  std::string build_id = runtime::platform::build_id_of_this_program();
  for (const std::filesystem::path& file : saved_schedules(options_.schedule_dir, report_.test)) {
    try {
      const Schedule schedule = read_schedule(file);
      if (schedule.test != report_.test) continue;
      if (schedule.signal != 0) CrashFile::expect(file.string());
      if (gate_ != nullptr) gate_->begin_capture();
      const ReplayResult result = replay(schedule, body_, false, {});
      CrashFile::expect({});
      std::string output = gate_ != nullptr ? gate_->end_capture() : std::string{};
      if (result.kind != ReplayResult::Kind::failed_again) continue;
      ++report_.executions;
      Schedule found = schedule;
      found.message = result.failure.message;
      add_failure(std::move(found), std::move(output), file.string());
      report_.from_saved = true;
      if (!options_.keep_going) return;
      signatures_.insert(result.failure.signature);
    } catch (const ScheduleError& error) {
      warn("{}; it is left alone", error.what());
    }
  }
}

void Search::follow_file() {
  report_.is_replay = true;
  Schedule schedule = read_schedule(options_.replay);
  if (schedule.test != report_.test) {
    throw ScheduleError(fmt::format("{}: this schedule is of the test \"{}\", not of \"{}\"; run that test",
        options_.replay, schedule.test, report_.test));
  }
  const bool same_build =
      !schedule.build_id.empty() && schedule.build_id == runtime::platform::build_id_of_this_program();
  if (!same_build) {
    warn("{} was written by another build of this program; its source lines are not compared",
        options_.replay);
  }
  const auto before_last_step = [&](const runtime::Trace& trace) {
    if (!schedule.complete) {  // what a crash handler wrote: now everything is known
      schedule.threads = trace.threads();
      schedule.choices = trace.choices();
      schedule.bound = 0;
      for (const runtime::Trace::Choice& choice : schedule.choices) schedule.bound += choice.price;
      schedule.complete = true;
      replace(options_.replay, schedule);
    }
    if (options_.break_at_failure) std::raise(SIGTRAP);
  };
  if (gate_ != nullptr && options_.break_at_failure) gate_.reset();
  if (gate_ != nullptr) gate_->begin_capture();
  const ReplayResult result = replay(schedule, body_, same_build, before_last_step);
  std::string output = gate_ != nullptr ? gate_->end_capture() : std::string{};
  report_.executions = 1;
  switch (result.kind) {
    case ReplayResult::Kind::failed_again: {
      Schedule found = schedule;
      found.kind = result.failure.kind;
      found.message = result.failure.message;
      found.where = runtime::Trace::place(result.failure.where);
      add_failure(std::move(found), std::move(output), options_.replay);
      break;
    }
    case ReplayResult::Kind::ran_clean:
      report_.verdict = Verdict::passed_sample;
      break;
    case ReplayResult::Kind::diverged:
      report_.verdict = Verdict::nondeterministic;
      report_.explanation = options_.replay + ", " + result.message;
      break;
  }
}

namespace {

/// Whether `test` matches the pattern of HOCKET_TEST. What only GoogleTest's filters can say is left to
/// those.
bool is_asked_for(const std::string& pattern, const std::string& test) {
  if (pattern.empty() || pattern.starts_with("-") || pattern.find(":") != std::string::npos) return true;
  return pattern == test || fnmatch(pattern.c_str(), test.c_str(), 0) == 0;
}

}  // namespace

Report explore(std::string_view test, const std::function<void()>& body, Options options) {
  if (runtime::is_controlled()) {
    runtime::execution.fail(runtime::FailureKind::misuse,
        "explore() was called inside the body of another explore(); run one after the other",
        runtime::Where{});
    return {};
  }
  options = with_settings(std::move(options));
  // A program with several searches, told from outside to make one of them.
  const Settings& asked = settings();
  const bool replays_another =
      !asked.replay.empty() && options.replay == asked.replay && asked.replay_test != test;
  if (replays_another || !is_asked_for(asked.test, std::string(test))) {
    Report report;
    report.test = test;
    report.stopped_by = "HOCKET_TEST or HOCKET_REPLAY, which ask for another test,";
    return report;
  }
  Report report = Search(std::string(test), body, options).run();
  add_to_report_file(report);
  return report;
}

}  // namespace hocket
