#include "supervisor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../runtime/execution/run.hpp"
#include "../../runtime/platform/files.hpp"
#include "../../runtime/platform/thread_count.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../process/fresh_start.hpp"
#include "../process/interrupt.hpp"
#include "../process/supervised_area.hpp"
#include "../process/waiting_call.hpp"
#include "../report/report_file.hpp"
#include "../schedules/schedule_file.hpp"
#include "../schedules/whole_file.hpp"

namespace hocket {

namespace {

using namespace supervised_area;

/// Whether somebody has asked the program to stop, which may have ended it.
bool was_asked_to_stop(const runtime::platform::Ending& end) {
  return asks_to_stop(end.signal) || SignalsOfPrograms::last() != 0;
}

/// What the other process has left, which may be anything: its body could write there.
class LeftBehind {
 public:
  explicit LeftBehind(const std::byte* area) : area_(area) { std::memcpy(&header_, area, sizeof header_); }

  [[nodiscard]] bool is_in_an_execution() const {
    return header_.magic == kMagic && header_.phase == Phase::searching && header_.text_size <= kMostTexts &&
           header_.folder_size <= kMostTexts - header_.text_size &&
           header_.entry_size >= sizeof(std::uint16_t) &&
           header_.code <= header_.entry_size - sizeof(std::uint16_t) && header_.marks < header_.entry_size &&
           in_state<std::uintptr_t>(header_.os_thread) != 0 &&
           std::size_t{position()} * header_.entry_size <= kMostLog && position() <= runtime::kMaxPositions;
  }
  [[nodiscard]] bool has_died() const { return header_.magic == kMagic && header_.deaths != 0; }
  /// Whether a model was checked, whose name is the text.
  [[nodiscard]] bool is_in_a_check() const {
    return header_.magic == kMagic && header_.phase == Phase::checking && header_.text_size <= kMostTexts;
  }
  /// The call of the model in which the process has ended so, or after which, if the call had crashed.
  /// Nothing if the check is not to be made again: that has to be worth its time where the signal may be
  /// from anybody.
  [[nodiscard]] std::optional<fresh_start::LostCall> lost_call(const runtime::platform::Ending& end) const {
    constexpr double kShort = 10;  // seconds
    if (!is_in_a_check() || was_asked_to_stop(end)) return std::nullopt;
    const bool may_be_from_anybody = may_be_from_elsewhere(end.signal);
    if (may_be_from_anybody && seconds() > kShort) return std::nullopt;
    const auto& check = *reinterpret_cast<const CheckOfModel*>(area_ + kWords);
    fresh_start::LostCall call{0, end.signal};
    if (!check.has_one_thread) return call;
    if (!may_be_from_anybody) call.number = check.first_crash;
    if (call.number == 0 && check.calls.is_in_call()) call.number = check.calls.number();
    return call.number != 0 ? std::optional(call) : std::nullopt;
  }
  [[nodiscard]] std::string_view text() const { return {characters(kTexts), header_.text_size}; }
  [[nodiscard]] std::string folder() const {
    return {characters(kTexts + header_.text_size), header_.folder_size};
  }
  [[nodiscard]] Coverage coverage() const {
    const Counts& c = header_.counts;
    Coverage coverage;
    std::tie(coverage.executions, coverage.pruned, coverage.dropped, coverage.classes,
        coverage.failed_classes, coverage.steps) =
        std::tie(c.executions, c.pruned, c.dropped, c.classes, c.failed_classes, c.steps);
    for (std::size_t n = 0; n < std::min<std::size_t>(c.count_of_bounds, c.bounds.size()); ++n) {
      BoundReport& bound = coverage.bounds.emplace_back();
      bound.executions = c.bounds[n].executions;
      bound.classes = c.bounds[n].classes;
      bound.failures = c.bounds[n].failures;
      bound.complete = c.bounds[n].is_complete != 0;
    }
    return coverage;
  }
  [[nodiscard]] std::int32_t order() const { return header_.order; }
  [[nodiscard]] BeginsAnew begins_anew() const { return header_.begins_anew; }
  /// Since the search began.
  [[nodiscard]] double seconds() const {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now - std::chrono::nanoseconds(header_.begin)).count();
  }
  [[nodiscard]] std::uint32_t position() const { return in_state<std::uint32_t>(header_.position); }
  void add_choices_to(LastExecution& last) const {
    for (std::uint32_t n = 0; n < position(); ++n) {
      const std::byte* const entry = area_ + kLog + std::size_t{n} * header_.entry_size;
      std::uint16_t code = 0;
      std::memcpy(&code, entry + header_.code, sizeof code);
      const auto marks = static_cast<std::uint8_t>(entry[header_.marks]);
      last.add_choice(code, (marks & header_.gives_way) != 0, (marks & header_.kind) == header_.is_value);
    }
  }
  [[nodiscard]] const LastWords& words() const { return *reinterpret_cast<const LastWords*>(area_ + kWords); }

 private:
  [[nodiscard]] const char* characters(std::size_t at) const {
    return reinterpret_cast<const char*>(area_ + at);
  }
  template <class Value>
  [[nodiscard]] Value in_state(std::uint32_t offset) const {
    Value value{};
    if (offset <= kMostState - sizeof value) std::memcpy(&value, area_ + kState + offset, sizeof value);
    return value;
  }

  const std::byte* area_;
  Header header_{};
};

std::vector<pid_t> children() {
  std::ifstream file("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  return {std::istream_iterator<pid_t>(file), std::istream_iterator<pid_t>()};
}

/// Ends the children of this process but these, and theirs, which become its own when their parents end.
void end_children_but(const std::vector<pid_t>& others) {
  constexpr int kMostRounds = 1000;
  for (int round = 0; round < kMostRounds; ++round) {
    bool is_none = true;
    for (const pid_t child : children()) {
      if (std::find(others.begin(), others.end(), child) != others.end()) continue;
      if (::kill(child, SIGKILL) != 0) continue;  // it runs as another user
      ::waitpid(child, nullptr, 0);
      is_none = false;
    }
    if (is_none) return;
  }
}

}  // namespace

void Supervisor::share(std::string_view records) {
  const file_steps::TooLargeIsAnError guard;
  constexpr int kAccess = PROT_READ | PROT_WRITE;
  constexpr int kFlags = MAP_SHARED | MAP_NORESERVE;
  void* mapped = MAP_FAILED;
  if (starts_ == Starts::a_child_of_this_process) {
    mapped = ::mmap(nullptr, kBytes, kAccess, kFlags | MAP_ANONYMOUS, -1, 0);
  } else {
    file_ = ::memfd_create("hocket", MFD_CLOEXEC);
    if (file_ >= 0 && ::ftruncate(file_, static_cast<off_t>(kBytes)) == 0)
      mapped = ::mmap(nullptr, kBytes, kAccess, kFlags, file_, 0);
  }
  if (mapped == MAP_FAILED) {
    why_not_ = errno;
    return;
  }
  children_before_ = children();
  area_ = static_cast<std::byte*>(mapped);
  auto& header = *reinterpret_cast<Header*>(area_);
  header.magic = kMagic;
  header.records_size = static_cast<std::uint32_t>(records.size());
  std::copy(records.begin(), records.end(), reinterpret_cast<char*>(area_ + kRecords));
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (starts_ == Starts::a_child_of_this_process) return;
  std::string variable = std::to_string(::getpid()) + ':' + std::to_string(file_);
  if (!records.empty()) variable += kBeginsAnew;
  ::setenv(kVariable, variable.c_str(), 1);
}

void Supervisor::forget() {
  if (starts_ == Starts::another_program) ::unsetenv(kVariable);
  if (area_ != nullptr) ::munmap(std::exchange(area_, nullptr), kBytes);
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

std::optional<LastExecution> Supervisor::last_execution(const runtime::platform::Ending& end) const {
  if (area_ == nullptr) return std::nullopt;
  const LeftBehind left(area_);
  if (!left.is_in_an_execution()) return std::nullopt;
  try {
    LastExecution last{schedule_from_json(left.text(), "the supervised search"), left.folder()};
    last.end_with(end);
    if (left.words().are_said) last.end_with(left.words());
    last.schedule.executions = left.coverage().executions;
    left.add_choices_to(last);
    last.look_for_known_file(left.words().expected.view());
    return last;
  } catch (const ScheduleError&) {
    return std::nullopt;
  }
}

std::optional<LastExecution> Supervisor::lost_execution(const runtime::platform::Ending& end) {
  if (area_ == nullptr) return std::nullopt;
  if (file_ >= 0) ::close(std::exchange(file_, -1));  // this process may have few, and a report to read
  const LeftBehind left(area_);
  const bool is_lost = left.is_in_an_execution();
  if (is_lost || left.has_died() || left.is_in_a_check()) end_what_was_started();
  if (!is_lost) return std::nullopt;
  std::optional<LastExecution> lost = last_execution(end);
  if (lost.has_value()) return lost;
  const std::string what(left.words().are_said ? left.words().what.view() : "an execution ended its process");
  std::fprintf(stderr, "\nhocket: %s; the body has written over memory of Hocket, so its schedule is lost\n",
      utf8::printable(what).c_str());
  return std::nullopt;
}

void Supervisor::end_what_was_started() const {
  end_children_but(children_before_);
}

namespace {

/// Replaces the report file, if that can be done. Otherwise it still says that the search did not end.
void write_report(const std::string& report_file, const std::string& text) {
  try {
    replace_file(report_file, text, file_steps::Outlives::processes);
  } catch (const std::system_error&) {
    return;
  }
}

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Sets a variable of the environment, and puts back at its end what was there before.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name); before != nullptr) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_.has_value()) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Whether a replay of the file runs to the end. What else may become of it, as where a disk is full, proves
/// nothing.
bool runs_clean(const Schedule& schedule, const std::string& file, const SupervisedProgram& program) {
  const Variable replay("HOCKET_REPLAY", file);
  const Variable test("HOCKET_TEST", schedule.test);
  Supervisor supervisor;
  const ProgramEnd end = run_program(program.path, program.words, Output::dropped);
  const bool was_lost = supervisor.lost_execution(end).has_value();
  return !was_lost && end.error == 0 && end.signal == 0 && end.status == 0;
}

}  // namespace

bool may_be_from_elsewhere(int signal) {
  constexpr std::array kOfTheBody{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXFSZ};
  return signal != 0 && std::find(kOfTheBody.begin(), kOfTheBody.end(), signal) == kOfTheBody.end();
}

namespace {

void put_in_report(const std::string& report_file, const LastExecution& lost, const Coverage& before,
    const std::string& saved_as) {
  if (!report_file.empty() && !put_death_in_report_file(report_file, lost, before, saved_as))
    std::fputs("hocket: the report file could not be written\n", stderr);
}

/// Says how the execution ended, and saves its schedule or prints it. Returns the file, or an empty name,
/// unless the body was not the cause: signals such as SIGKILL or SIGTERM may come from anybody, so the
/// schedule is replayed, and if that runs to the end, there is no file of it.
std::optional<std::string> settle(const LastExecution& lost, const SupervisedProgram& program,
    const std::string& report_file, const Coverage& before) {
  const int signal = lost.schedule.signal;
  const bool was_asked_for = signal == SIGINT || (signal != 0 && signal == SignalsOfPrograms::last());
  if (was_asked_for) return std::nullopt;  // who has sent it does not want to wait
  const std::string file = lost.tell(program.again);
  const bool is_new = !file.empty() && lost.known_file.empty();
  const bool is_replayed = is_new && may_be_from_elsewhere(signal);
  const std::string report = report_file.empty() ? std::string{} : text_of(report_file);
  const bool is_from_elsewhere = is_replayed && runs_clean(lost.schedule, file, program);
  if (is_replayed && !report.empty()) write_report(report_file, report);  // the replay wrote another
  if (is_from_elsewhere) {
    std::fputs(
        "hocket: in a replay it did not come again, so somebody else has sent the signal, and the file is "
        "removed\n",
        stderr);
    file_steps::remove(file.c_str());
    return std::nullopt;
  }
  put_in_report(report_file, lost, before, file);
  return file;
}

void tell_of_check(std::string_view model, const runtime::platform::Ending& end, bool is_checked_again) {
  std::fprintf(stderr, "\nhocket: %s: the process %s while the model was checked%s\n",
      utf8::printable(model).c_str(), to_text(end).c_str(),
      is_checked_again ? "; it is checked again, to see whether a call of the model did that" : "");
}

}  // namespace

void Supervisor::tell_of_lost_execution(
    const runtime::platform::Ending& end, const ReplayCommand& again, const std::string& report_file) {
  const std::optional<LastExecution> lost = lost_execution(end);
  if (!lost.has_value()) return;
  const std::string file = lost->tell(again);
  put_in_report(report_file, *lost, LeftBehind(area_).coverage(), file);
}

std::string Supervisor::records_for_next(const runtime::platform::Ending& end,
    const std::optional<LastExecution>& lost, const std::string& saved_as) const {
  constexpr rlim_t kFewestFiles = 16;  // with fewer the next search could not write its report
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < kFewestFiles) return {};
  const LeftBehind left(area_);
  std::string records(records_in(area_));
  if (!records.starts_with(passed_on_)) return {};  // the body has written there
  if (left.begins_anew() == BeginsAnew::if_it_dies && lost.has_value()) {
    const fresh_start::Ending ending = lost->ending(saved_as, left.coverage(), left.seconds());
    records += fresh_start::record_of(lost->schedule.test, ending);
  } else if (left.begins_anew() == BeginsAnew::if_it_dies_following && lost.has_value()) {
    records += fresh_start::record_of_following(lost->schedule.test);
  } else if (auto call = left.lost_call(end); left.begins_anew() == BeginsAnew::if_it_dies && call) {
    records += fresh_start::record_of_lost_call(left.text(), *call);
  } else if (left.begins_anew() != BeginsAnew::yes) {
    return {};
  }
  const int signal = SignalsOfPrograms::see_last();
  if (signal == SIGQUIT) return {};
  if (signal != 0) records += fresh_start::record_of_interruption(signal);
  return records.size() <= kMostRecords ? records : std::string{};
}

void Supervisor::become_supervised() {
  if (area_ == nullptr) return;
  supervised_area::share_with_parent(std::exchange(area_, nullptr));
}

std::optional<SupervisedEnd> Supervisor::run(const std::function<std::optional<ProgramEnd>()>& start,
    const SupervisedProgram& program, const std::string& report_file) {
  const std::optional<SupervisedEnd> end = run_again_and_again(start, program, report_file);
  // Those that the program has started when it followed the schedule of a death, too.
  if (end.has_value() && !passed_on_.empty()) end_children_but(children_before_);
  return end;
}

std::optional<SupervisedEnd> Supervisor::run_again_and_again(
    const std::function<std::optional<ProgramEnd>()>& start, const SupervisedProgram& program,
    const std::string& report_file) {
  // One ends with the search, one while its schedule is followed, and then its test has a result.
  constexpr int kMostWithoutResult = 3;
  const SignalsOfPrograms signals;
  const std::optional<ProgramEnd> first_end = start();
  if (!first_end) {
    become_supervised();
    return std::nullopt;
  }
  SupervisedEnd result{*first_end};
  int starts_without_result = 0;
  while (result.end.error == 0 && area_ != nullptr) {
    const std::optional<LastExecution> lost = lost_execution(result.end);
    std::string saved_as;
    if (lost.has_value() && LeftBehind(area_).begins_anew() != BeginsAnew::if_it_dies_following) {
      const auto settled = settle(*lost, program, report_file, LeftBehind(area_).coverage());
      result.has_failed |= settled.has_value();
      result.is_from_elsewhere = !settled.has_value();
      if (result.is_from_elsewhere) return result;
      saved_as = *settled;
    }
    const BeginsAnew begins_anew = LeftBehind(area_).begins_anew();
    result.has_failed |= begins_anew == BeginsAnew::yes;
    const std::optional<fresh_start::LostCall> lost_call = LeftBehind(area_).lost_call(result.end);
    if (LeftBehind(area_).is_in_a_check() && !was_asked_to_stop(result.end)) {
      tell_of_check(LeftBehind(area_).text(), result.end, lost_call.has_value());
      result.has_failed |= !lost_call.has_value() && !may_be_from_elsewhere(result.end.signal);
    }
    std::string records = records_for_next(result.end, lost, saved_as);
    const std::optional<std::size_t> results = fresh_start::results_in(records);
    starts_without_result = results > fresh_start::results_in(passed_on_) ? 0 : starts_without_result + 1;
    if (records.empty() || !results || starts_without_result > kMostWithoutResult) {
      const bool was_to_begin =
          begins_anew != BeginsAnew::no && (lost || lost_call || begins_anew == BeginsAnew::yes);
      result.has_failed |= lost_call.has_value();
      if (was_to_begin && SignalsOfPrograms::last() != SIGQUIT)
        std::fputs("hocket: the program cannot begin again, so the tests that are left do not run\n", stderr);
      return result;
    }
    if (const int order = LeftBehind(area_).order(); order != 0)
      ::setenv(fresh_start::kOrderVariable, std::to_string(order).c_str(), 1);
    forget();
    passed_on_ = std::move(records);
    share(passed_on_);
    if (why_not_ != 0) return result;
    std::fwrite(fresh_start::kBeginsAgain.data(), 1, fresh_start::kBeginsAgain.size(), stderr);
    const std::optional<ProgramEnd> next = start();
    if (!next) {
      become_supervised();
      return std::nullopt;
    }
    if (next->error != 0) return result;
    result.end = *next;
  }
  return result;
}

void warn_if_useless(const Supervisor& supervisor) {
  if (supervisor.why_not() == 0) return;
  std::fprintf(stderr,
      "hocket: the program is not supervised, since there is no memory to share with it (%s): an execution "
      "that ends it silently is not saved\n",
      std::generic_category().message(supervisor.why_not()).c_str());
}

namespace {

std::vector<std::string> arguments_of_process() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

/// Whether this process is not to be split unless somebody asks for it.
bool is_better_left_alone(const std::vector<std::string>& words) {
  const bool is_death_test = std::any_of(words.begin(), words.end(),
      [](const std::string& word) { return word.starts_with("--gtest_internal_run_death_test"); });
  return is_death_test || is_process_traced();
}

[[noreturn]] void refuse_to_supervise(const std::string& reason) {
  std::fprintf(stderr,
      "hocket: this program cannot be supervised, since %s, or leave out --hocket_supervise\n",
      reason.c_str());
  std::exit(2);
}

/// Ends this process as its program has ended.
[[noreturn]] void end_as(const SupervisedEnd& result) {
  const auto& [end, has_failed, is_from_elsewhere] = result;
  std::fflush(stderr);
  // What the program has registered with atexit() and its globals belong to the child.
  if (has_failed) ::_exit(1);
  if (end.signal == 0) ::_exit(end.status);
  const rlimit none{};
  ::setrlimit(RLIMIT_CORE, &none);  // the child has left one, if any
  ::signal(end.signal, SIG_DFL);
  ::raise(end.signal);
  constexpr int kAsShellsDo = 128;
  ::_exit(kAsShellsDo + end.signal);
}

}  // namespace

void supervise(const Settings& settings) {
  if (!settings.supervise.value_or(true) || supervised_area::has_supervisor()) return;
  const bool is_asked_for = settings.supervise.has_value();
  const std::vector<std::string> words = arguments_of_process();
  if (!is_asked_for && is_better_left_alone(words)) return;
  if (runtime::platform::threads_beside(1) != 0) {
    if (!is_asked_for) return;
    refuse_to_supervise("it has started threads before main() began; run it by `hocket run`");
  }
  std::cout.flush();
  std::fflush(nullptr);  // what is printed so far is not to be printed by both
  sigset_t mask;
  ::sigprocmask(SIG_BLOCK, nullptr, &mask);
  std::optional<SupervisedEnd> result;
  {
    Supervisor supervisor(Supervisor::Starts::a_child_of_this_process);
    if (supervisor.why_not() != 0) {
      if (!is_asked_for) return;
      refuse_to_supervise("there is no memory to share with it (" +
                          std::generic_category().message(supervisor.why_not()) +
                          "); raise the limit (ulimit -a)");
    }
    result = supervisor.run(
        [] { return go_on_in_child(); }, {"/proc/self/exe", words, replay_command()}, settings.report_file);
  }
  if (!result) {
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    fresh_start::take_over();
    return;
  }
  if (result->end.error == 0) end_as(*result);
  if (is_asked_for)
    refuse_to_supervise("no process can be started (" + std::generic_category().message(result->end.error) +
                        "); raise the limit (ulimit -a)");
}

}  // namespace hocket
