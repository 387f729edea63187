#include "dying_process.hpp"

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/files.hpp"
#include "../../runtime/platform/symbols/stack_lines.hpp"
#include "../../runtime/platform/system_call.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../options/settings.hpp"
#include "../process/fresh_start.hpp"
#include "../process/output_gate.hpp"
#include "../report/report_file.hpp"
#include "../schedules/file_steps.hpp"
#include "last_execution.hpp"
#include "supervised_search.hpp"

namespace hocket {

namespace {

/// What the process knows for the time when a child of it has died.
struct Watched {
  Schedule about;
  std::string folder;
  const Report* report;
  std::chrono::steady_clock::time_point begin;
};

Watched* watched = nullptr;
/// A child process and its parent share it, or this process and its supervisor.
LastWords* words = nullptr;

LastWords* room_for_words() {
  if (SupervisedSearch::is_seen()) return &SupervisedSearch::words();
  return new LastWords;  // in memory that children share
}

/// As the recording labels threads without a name of their own: "main", "thread 1.2".
template <class Text>
void add_thread(Text& text, const runtime::Thread& thread) {
  if (thread.creator == nullptr) return text.add("main");
  std::array<const runtime::Thread*, 32> line{};
  std::size_t size = 0;
  for (const auto* t = &thread; t->creator != nullptr && size < line.size(); t = t->creator) line[size++] = t;
  text.add("thread ");
  while (size-- > 0) {
    text.add_number(line[size]->ordinal);
    if (size != 0) text.add(".");
  }
}

/// "; its last operation was mutex.lock at queue.cpp:7". The operation is known only if the execution is
/// recorded, as in a replay; otherwise steps leave no trace.
template <class Text>
void add_last_operation(Text& text) {
  const runtime::Pending& last = runtime::run.current->pending;
  if (!runtime::run.recording || runtime::run.ending || last.operation == runtime::Operation::none) return;
  text.add("; its last operation was ");
  text.add(runtime::to_string(last.operation));
  const char* const path = last.where.file_name();
  if (*path == '\0') return;
  const char* const folder_end = std::strrchr(path, '/');
  text.add(" at ");
  text.add(folder_end != nullptr ? folder_end + 1 : path);
  text.add(":");
  text.add_number(last.where.line());
}

template <class Text>
void add_what(Text& text, const char* what) {
  add_thread(text, *runtime::run.current);
  text.add(what);
  add_last_operation(text);
  if (!runtime::execution.verdict.has_failed()) return;
  text.add(" (after the execution had failed: ");
  text.add(runtime::Execution::failure().message);
  text.add(")");
}

/// The number of preemptions in the execution so far.
unsigned preemptions_so_far() {
  unsigned sum = 0;
  const runtime::ChoiceLog log{runtime::run.log, runtime::Execution::candidates(), runtime::run.position};
  for (std::uint32_t n = 0; n < runtime::run.position; ++n) {
    const runtime::LogEntry& entry = runtime::run.log[n];
    log.for_each_candidate(entry, [&](const runtime::Candidate& candidate) {
      if (candidate.code == entry.code) sum += candidate.price;
    });
  }
  return sum;
}

void keep_stack(BoundedText<16384>& stack) {
  const int file = memfd_create("hocket", MFD_CLOEXEC);
  if (file < 0) return;  // the system may let the process make no file
  runtime::platform::put_stack(file);
  stack.fill([file](char* begin, std::size_t size) { return pread(file, begin, size, 0); });
  close(file);
}

void put(std::string_view text) {
  file_steps::put(OutputGate::real_stderr(), text.data(), text.size());
}

/// Prints what is known, as no other process does.
void put_words() {
  put("\nhocket: ");
  put(words->what.view());
  if (!words->expected.view().empty()) {
    put(": this should be the failure that is saved in ");
    put(words->expected.view());
  }
  put("\n");
  if (!watched->folder.empty())
    put("hocket: its schedule is not saved, as no other process watches this one; `hocket run` saves it\n");
}

}  // namespace

DyingProcess::DyingProcess(const Schedule& about, const std::string& directory, const Report& report,
    std::chrono::nanoseconds watchdog) {
  // The body may go to another folder.
  const std::string folder =
      directory.empty() ? directory : runtime::platform::absolute_path(directory).string();
  watched = new Watched{about, folder, &report, std::chrono::steady_clock::now()};
  words = room_for_words();
  *words = {};
  words->watchdog_ns = watchdog.count();
}

DyingProcess::~DyingProcess() {
  delete std::exchange(watched, nullptr);
  LastWords* const last = std::exchange(words, nullptr);
  if (!SupervisedSearch::is_seen()) delete last;
}

void DyingProcess::describe(const Schedule& about) {
  if (watched != nullptr) watched->about = about;
  SupervisedSearch::describe(about);
}

void DyingProcess::expect(const std::string& file) {
  if (words == nullptr) return;
  words->expected.clear();
  words->expected.add(file);
}

void DyingProcess::tell(Death death, const char* what, const DeathDetail& detail) {
  if (words->are_begun) return;  // it died again while it said this
  words->are_begun = true;
  // The body may have broken what the whole sentence is made of, so a shorter one comes first.
  words->death = death;
  words->call.add(detail.call);
  words->what.add("a thread");
  words->what.add(what);
  words->are_said = true;
  BoundedText<kMostOfWhat> sentence;
  sentence.clear();
  add_what(sentence, what);
  words->what = sentence;
  words->preemptions = preemptions_so_far();
  const bool is_heard = SupervisedSearch::is_seen() || watched->about.own_process;
  if (!is_heard) put_words();
  if (!detail.is_on_its_stack) return;
  keep_stack(words->stack);
  if (!is_heard) runtime::platform::put_stack_lines(OutputGate::real_stderr(), words->stack.view());
}

bool DyingProcess::is_telling() {
  return words != nullptr && words->are_begun;
}

void DyingProcess::leave_to_supervisor() {
  if (SupervisedSearch::is_seen() && fresh_start::is_possible() && words->are_said)
    runtime::platform::system_call(SYS_exit_group, 1);
  if (!watched->about.own_process) fresh_start::say_that_tests_are_left();
}

void DyingProcess::tell_and_end(Death death, const char* what, const DeathDetail& detail) {
  tell(death, what, detail);
  leave_to_supervisor();
  for (;;) runtime::platform::system_call(SYS_exit_group, 1);
}

void DyingProcess::tell_of_child(const runtime::platform::Ending& ending) {
  SupervisedSearch::told();
  LastExecution last{watched->about, watched->folder};
  last.end_with(ending);
  if (words->are_said) last.end_with(*words);
  const Report& report = *watched->report;
  last.schedule.executions = report.executions;
  last.knows_choices = runtime::run.log != nullptr;
  for (std::uint32_t n = 0; last.knows_choices && n < runtime::run.position; ++n) {
    const runtime::LogEntry& entry = runtime::run.log[n];
    last.add_choice(entry.code, entry.gives_way != 0, entry.kind == runtime::LogEntry::value);
  }
  last.look_for_known_file(words->expected.view());
  const std::string file = last.tell(replay_command());
  if (!settings().report_file.empty() &&
      !put_death_in_report_file(settings().report_file, last, report, file))
    put("hocket: the report file could not be written\n");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - watched->begin;
  fresh_start::begin(last.schedule.test, last.ending(file, report, taken.count()));
}

}  // namespace hocket
