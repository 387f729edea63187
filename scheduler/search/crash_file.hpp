// Saves the schedule of an execution in which the process dies before it does.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/platform/ending.hpp"
#include "../../runtime/terms/failure.hpp"
#include "../api/report.hpp"
#include "../schedules/schedule.hpp"
#include "report_file.hpp"

namespace hocket {

/// The ways in which a process can die in the middle of an execution. The signals come first.
enum class Death : std::uint8_t { segv, abort, fpe, bus, ill, stack_overflow, exit, fork, stuck };
inline constexpr unsigned kDeaths = static_cast<unsigned>(Death::stuck) + 1;

/// What is known of a death when it comes.
struct DeathDetail {
  std::string_view call{};      ///< of Death::stuck: the call in which the thread waits, such as "poll()"
  bool is_on_its_stack = true;  ///< whether the calling stack is that of the thread
};

/// While an object of this class exists, a dying process can report its death. Everything except the choices
/// and the number of executions is prepared in advance, because the report must not allocate.
class CrashFile {
 public:
  /// `about` describes the search. `directory` is where the file goes; if it is empty, only a message is
  /// printed. `report` is read when the file is written. `watchdog` is the time after which a thread is
  /// stuck.
  CrashFile(const Schedule& about, const std::string& directory, const Report& report,
      std::chrono::nanoseconds watchdog);
  ~CrashFile();
  CrashFile(const CrashFile&) = delete;
  CrashFile& operator=(const CrashFile&) = delete;

  /// The search goes on under other rules than those of the last description.
  static void begin_anew_with(const Schedule& about);

  /// Sets the file whose replay is expected to end in a death. The death is then reported as that of the file
  /// and not saved again. Empty: no such file.
  static void expect(const std::string& file);
  /// The same for a death after exactly these choices.
  static void expect_choices(std::vector<std::uint16_t> choices, const std::string& file);

  /// Prints a sentence that begins with the name of the current thread and continues with `what`, and writes
  /// an incomplete schedule file. This calls only open, write, fsync, link and unlink. Then it writes the
  /// report file (ReportAtDeath) and prints where the thread is, if this is its stack, without allocating. To
  /// be called while a CrashFile exists.
  static void tell(Death death, const char* what, const DeathDetail& detail = {});

  /// Whether tell() has begun, so that the process must report nothing more.
  static bool is_telling();
  /// Whether tell() has come to its end. A child process that has not told leaves that to its parent.
  static bool has_told();

  /// The same for a child process of a search that has ended, and could not tell. The log of choices is the
  /// child's; if there is none, the schedule is not known. This allocates.
  static void tell_of_child(const runtime::platform::Ending& ending);

  /// After tell(): begins the program anew, if that is possible (see fresh_start.hpp).
  static void begin_anew();

  /// Like tell(), for what does not end the process by itself. Then begins the program anew, or ends it with
  /// status 1.
  [[noreturn]] static void tell_and_end(Death death, const char* what, const DeathDetail& detail = {});

 private:
  const ReportAtDeath report_;
};

}  // namespace hocket
