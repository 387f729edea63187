#include "crash_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/symbols/stack_lines.hpp"
#include "../process/fresh_start.hpp"
#include "../process/output_gate.hpp"
#include "../process/signal_safe.hpp"
#include "../schedules/choice_numbers.hpp"
#include "../schedules/file_steps.hpp"
#include "../schedules/schedule_file.hpp"
#include "../schedules/whole_file.hpp"
#include "last_execution.hpp"
#include "prepared_death.hpp"
#include "supervised_search.hpp"

namespace hocket {

namespace {

using runtime::FailureKind;
using signal_safe::put;
using signal_safe::put_number;

constexpr int kMostFiles = 100;

PreparedDeath* prepared = nullptr;

runtime::Code number_in_files(const runtime::LogEntry& entry) {
  const bool is_told = runtime::execution.retries.are_watched() && entry.kind == runtime::LogEntry::value;
  return entry.code + (entry.gives_way != 0 ? runtime::kGivesWayInFiles : 0) +
         (is_told ? runtime::kIsValueInFiles : 0);
}

/// Calls `put_text(text, size)` for parts of the choices so far, until that returns something else than 0.
/// Returns what it returned last.
template <class PutText>
int put_choices(PutText put_text) {
  std::array<char, 4096> buffer;
  std::size_t used = 0;
  for (std::uint32_t n = 0; n < runtime::run.position; ++n) {
    std::array<char, 8> room;
    if (n != 0) buffer[used++] = ',';
    const runtime::Code number = number_in_files(runtime::run.log[n]);
    for (const char* digit = signal_safe::write_digits(number, room); digit != room.data() + room.size();)
      buffer[used++] = *digit++;
    if (used <= buffer.size() - 16) continue;
    if (const int error = put_text(buffer.data(), used); error != 0) return error;
    used = 0;
  }
  return put_text(buffer.data(), used);
}

/// The same for the whole text of the file.
template <class PutText>
int put_schedule(const PreparedDeath& p, const PreparedText& text, PutText put_text) {
  std::array<char, 20> room;
  const char* const digits = signal_safe::write_digits(p.report->executions, room);
  const std::array<std::string_view, 3> beginning{
      text.until_executions, {digits, room.data() + room.size()}, text.until_choices};
  for (const std::string_view part : beginning) {
    if (const int error = put_text(part.data(), part.size()); error != 0) return error;
  }
  if (const int error = put_choices(put_text); error != 0) return error;
  return put_text(text.rest.data(), text.rest.size());
}

/// Prints a thread as the recording labels threads without a name of their own: "main", "thread 1.2".
void put_thread(int file, const runtime::Thread& thread) {
  if (thread.creator == nullptr) {
    put(file, "main");
    return;
  }
  std::array<const runtime::Thread*, 32> line{};
  std::size_t size = 0;
  for (const auto* t = &thread; t->creator != nullptr && size < line.size(); t = t->creator) line[size++] = t;
  put(file, "thread ");
  while (size-- > 0) {
    put_number(file, line[size]->ordinal);
    if (size != 0) put(file, ".");
  }
}

/// Prints "; its last operation was mutex.lock at queue.cpp:7". The operation is known only if the execution
/// is recorded, as in a replay; otherwise steps leave no trace.
void put_last_operation(int file) {
  const runtime::Pending& last = runtime::run.current->pending;
  if (!runtime::run.recording || runtime::run.ending || last.operation == runtime::Operation::none) return;
  const std::string_view name = runtime::to_string(last.operation);
  put(file, "; its last operation was ");
  put(file, name.data(), name.size());
  const char* const path = last.where.file_name();
  if (*path == '\0') return;
  const char* const folder_end = std::strrchr(path, '/');
  put(file, " at ");
  put(file, folder_end != nullptr ? folder_end + 1 : path);
  put(file, ":");
  put_number(file, last.where.line());
}

/// Like schedule_file_name, without allocating.
const char* nth_name(PreparedDeath& p, int n) {
  p.name = p.stem;
  if (n > 1) {
    p.name += '-';
    if (n >= 100) p.name += static_cast<char>('0' + n / 100);
    if (n >= 10) p.name += static_cast<char>('0' + n / 10 % 10);
    p.name += static_cast<char>('0' + n % 10);
  }
  p.name += p.extension;
  return p.name.c_str();
}

/// Writes the schedule under its temporary name. Returns 0 or an error number; then there is no file.
int write_temporary(const PreparedDeath& p, const PreparedText& text) {
  const char* const path = p.temporary.c_str();
  int file = file_steps::make(path);
  if (file == -EEXIST) {  // an earlier process with the same ID has left it
    file_steps::remove(path);
    file = file_steps::make(path);
  }
  if (file < 0) return -file;
  int error = put_schedule(
      p, text, [file](const char* part, std::size_t size) { return file_steps::put(file, part, size); });
  const int error_at_end = file_steps::finish(file, file_steps::Outlives::power_cuts);
  if (error == 0) error = error_at_end;
  if (error != 0) file_steps::remove(path);
  return error;
}

/// Saves the schedule. Returns the name of the file, or nullptr if that failed.
const char* save(PreparedDeath& p, const PreparedText& text) {
  p.not_saved_because = write_temporary(p, text);
  if (p.not_saved_because != 0) return nullptr;
  p.not_saved_because = EEXIST;
  for (int n = 1; n <= kMostFiles && p.not_saved_because == EEXIST; ++n) {  // take the first free name
    const char* name = nth_name(p, n);
    p.not_saved_because = file_steps::give_name(p.temporary.c_str(), name);
    if (p.not_saved_because != 0) continue;
    file_steps::sync_folder(p.folder.c_str());
    return name;
  }
  file_steps::remove(p.temporary.c_str());
  return nullptr;
}

/// Prints why there is no file, and the schedule itself, on one line: line feeds are nowhere but between the
/// parts of the text.
void put_unsaved(const PreparedDeath& p, int screen, const PreparedText& text) {
  put(screen, "; its schedule could not be saved in ");
  put(screen, p.printable_folder.c_str());
  if (p.not_saved_because == EEXIST) {
    put(screen, ": there are as many files of this test as there can be");
  } else if (const char* const words = file_steps::words_for(p.not_saved_because); *words != '\0') {
    put(screen, " (");
    put(screen, words);
    put(screen, "); ");
    put(screen, file_steps::advice_on(p.not_saved_because));
  }
  put(screen, kBeforePrintedSchedule.data(), kBeforePrintedSchedule.size());
  put_schedule(p, text, [screen](const char* part, std::size_t size) {
    for (std::string_view rest(part, size); !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      put(screen, line.data(), line.size());
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
    return 0;
  });
}

double seconds_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace

CrashFile::CrashFile(const Schedule& about, const std::string& directory, const Report& report,
    std::chrono::nanoseconds watchdog)
    : report_(report) {
  prepared = new PreparedDeath(about, directory, report, watchdog);
  prepared->begin = seconds_now();
}

CrashFile::~CrashFile() {
  delete prepared;
  prepared = nullptr;
}

void CrashFile::begin_anew_with(const Schedule& about) {
  if (prepared != nullptr) prepared->describe(about);
  SupervisedSearch::describe(about);
}

void CrashFile::expect(const std::string& file) {
  if (prepared != nullptr) prepared->expect(file);
}

void CrashFile::expect_choices(std::vector<std::uint16_t> choices, const std::string& file) {
  if (prepared != nullptr) prepared->expect_choices(std::move(choices), file);
}

namespace {

/// The number of preemptions in the execution so far. Allocates nothing.
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

/// `saved_as`: the full name of the file that has the schedule, or nullptr. Returns whether it could be
/// written.
bool write_report(const PreparedDeath& p, Death death, const char* saved_as) {
  const auto n = static_cast<std::size_t>(death);
  const bool has_file = saved_as != nullptr || !p.expected.empty();
  return ReportAtDeath::write(
      {p.kinds[n].c_str(), p.messages[n].c_str(), has_file ? p.file_in_report.c_str() : "\"",
          saved_as != nullptr ? saved_as + p.stem.size() : "", runtime::run.position, preemptions_so_far()});
}

void put_what(int file, const char* what) {
  put_thread(file, *runtime::run.current);
  put(file, what);
  put_last_operation(file);
  if (runtime::execution.verdict.has_failed()) {
    put(file, " (after the execution had failed: ");
    put(file, runtime::Execution::failure().message.c_str());
    put(file, ")");
  }
}

/// Finds the file of a death that came after the same choices as this one. Allocates nothing.
void look_for_expected(PreparedDeath& p) {
  for (KnownDeath& known : p.known) {
    if (!p.expected.empty() || known.choices.size() != runtime::run.position) continue;
    std::size_t same = 0;
    while (same < known.choices.size() && known.choices[same] == runtime::run.log[same].code) ++same;
    if (same != known.choices.size()) continue;
    p.expected.swap(known.file);
    p.printable_expected.swap(known.printable_file);
    p.file_in_report.swap(known.file_in_report);
  }
}

void put_saved_as(const PreparedDeath& p, int screen) {
  const char* const rest = p.saved_as + p.stem.size();  // it needs no quotes
  put(screen, "; its schedule is saved in ");
  put(screen, p.printable_stem.c_str());
  put(screen, rest);
  put(screen, "\nreplay it with: ");
  put(screen, p.replay.until_file.c_str());
  put(screen, p.quoted_stem.c_str());
  put(screen, rest);
  put(screen, p.replay.rest.c_str());
}

void put_expected(const PreparedDeath& p, int screen) {
  const bool has_name = p.expected != kStandardInput;
  put(screen, has_name ? ": the failure that is saved in " : ": the failure that came through ");
  put(screen, has_name ? p.printable_expected.c_str() : "standard input");
  put(screen, " came again");
}

/// Returns false if nothing was told, since another process can tell more: the body may have set this one a
/// limit on files or their size, and its standard error may be a file.
bool put_message(PreparedDeath& p, int screen, Death death, const char* what) {
  look_for_expected(p);
  const PreparedText& text = p.texts[static_cast<std::size_t>(death)];
  const bool is_to_be_saved = p.saves && p.expected.empty();
  if (is_to_be_saved) p.saved_as = save(p, text);
  const bool is_seen = SupervisedSearch::is_seen() || p.about.own_process;
  if (is_seen && (p.not_saved_because == EFBIG || p.not_saved_because == EMFILE)) return false;
  put(screen, "\nhocket: ");
  p.what.print(screen, [what](int file) { put_what(file, what); });
  const bool has_report = write_report(p, death, p.saved_as);
  if (!p.expected.empty()) put_expected(p, screen);
  if (p.saved_as != nullptr) put_saved_as(p, screen);
  if (is_to_be_saved && p.saved_as == nullptr) put_unsaved(p, screen, text);
  put(screen, has_report ? "\n" : "\nhocket: the report file could not be written\n");
  return true;
}

void put_overwritten(const char* what) {
  const int screen = OutputGate::real_stderr();
  put(screen, "\nhocket: ");
  put_thread(screen, *runtime::run.current);
  put(screen, what);
  put(screen,
      "; the body has written over the memory of Hocket, so the schedule cannot be saved from here; "
      "`hocket run` saves it\n");
}

}  // namespace

void CrashFile::tell(Death death, const char* what, const DeathDetail& detail) {
  PreparedDeath& p = *prepared;
  const bool died_while_reading = p.is_telling && p.is_being_read;
  if (p.is_telling && !died_while_reading) return;  // it died again while reporting
  p.is_telling = true;
  const file_steps::TooLargeIsAnError guard;
  p.is_being_read = !died_while_reading;
  p.ends_here = died_while_reading || !p.is_whole() || !ReportAtDeath::is_whole();
  p.is_being_read = false;
  if (p.ends_here) {
    if (SupervisedSearch::is_seen()) return;  // the supervisor tells, from memory of its own
    put_overwritten(what);
    p.has_told = true;
    return;
  }
  p.set_call(death, detail.call);
  const int screen = OutputGate::real_stderr();
  p.has_told = put_message(p, screen, death, what);
  p.ends_here = !p.has_told;
  if (!p.has_told) return;
  SupervisedSearch::told();
  if (!detail.is_on_its_stack) return;
  p.stack.keep(&runtime::platform::put_stack);
  runtime::platform::put_stack_lines(screen, p.stack.text());
}

void CrashFile::tell_of_child(const runtime::platform::Ending& ending) {
  PreparedDeath& p = *prepared;
  p.has_told = true;
  p.ends_here = false;
  SupervisedSearch::told();
  const file_steps::TooLargeIsAnError guard;
  LastExecution last{p.about, p.saves ? p.folder : std::string{}, {}};
  last.end_with(ending);
  p.what.keep([&](int file) { put(file, last.schedule.message.c_str()); });
  if (runtime::run.log == nullptr) {
    const std::string text =
        "\nhocket: " + last.schedule.message + ", before the first step of an execution\n";
    put(OutputGate::real_stderr(), text.c_str());
    return;
  }
  last.schedule.executions = p.report->executions;
  for (std::uint32_t n = 0; n < runtime::run.position; ++n)
    last.schedule.choices.push_back(choice_of(number_in_files(runtime::run.log[n])));
  look_for_expected(p);
  last.known_file = p.expected;
  p.name = last.tell(p.replay);
  if (p.expected.empty() && !p.name.empty()) p.saved_as = p.name.c_str();
  std::string file = as_json(p.name);
  file.pop_back();
  const bool has_report = ReportAtDeath::write({as_json(std::string(to_string(last.schedule.kind))).c_str(),
      as_json(last.schedule.message).c_str(), file.c_str(), "", runtime::run.position, preemptions_so_far()});
  if (!has_report) put(OutputGate::real_stderr(), "hocket: the report file could not be written\n");
}

void CrashFile::begin_anew() {
  const PreparedDeath& p = *prepared;
  if (p.ends_here) return;
  const file_steps::TooLargeIsAnError guard;
  const bool was_saved = !p.expected.empty();
  const std::string_view file = was_saved               ? std::string_view(p.expected)
                                : p.saved_as != nullptr ? p.saved_as
                                                        : std::string_view{};
  fresh_start::begin(
      {p.test, p.what.text(), p.stack.text(), file, was_saved, *p.report, seconds_now() - p.begin});
}

bool CrashFile::is_telling() {
  return prepared != nullptr && prepared->is_telling;
}

bool CrashFile::has_told() {
  return prepared->has_told;
}

void CrashFile::tell_and_end(Death death, const char* what, const DeathDetail& detail) {
  tell(death, what, detail);
  begin_anew();
  for (;;) syscall(SYS_exit_group, 1);
}

}  // namespace hocket
