// The schedule of an execution in which the process dies: on disk before it does.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "../../runtime/terms/failure.hpp"
#include "../api/report.hpp"
#include "../schedules/schedule.hpp"
#include "report_file.hpp"

namespace hocket {

/// What a process can die of in the middle of an execution. The signals come first.
enum class Death : std::uint8_t { segv, abort, fpe, bus, ill, stack_overflow, exit, fork, stuck };
inline constexpr unsigned kDeaths = static_cast<unsigned>(Death::stuck) + 1;

/// Whether a failure of this kind is the death of its process.
bool is_death(runtime::FailureKind kind);

/// While one lives, the process can say its last words. Everything but the choices and the number of
/// executions is made ready in the beginning, since who tells of a death may allocate nothing.
class CrashFile {
 public:
  /// `about` describes the search; `directory` is where the file goes. Empty: only a message is printed.
  /// `report` is read when the file is written; `watchdog` is after what time a thread is stuck.
  CrashFile(const Schedule& about, const std::string& directory, const Report& report,
      std::chrono::nanoseconds watchdog);
  ~CrashFile();
  CrashFile(const CrashFile&) = delete;
  CrashFile& operator=(const CrashFile&) = delete;

  /// While `file` is replayed, which ended in a death before: the death is announced as that one and not
  /// saved again. Empty: no such file.
  static void expect(const std::string& file);

  /// Tells the person at the terminal what happens, in a sentence that begins with the name of the current
  /// thread and goes on with `what`, and writes an incomplete schedule file: calls open, write, fsync, link
  /// and unlink only. Then writes the report file (ReportAtDeath), and prints where the thread is, allocating
  /// nothing. Called on a fiber while a CrashFile lives.
  static void tell(Death death, const char* what);

  /// Whether that has begun: the process has nothing more to say.
  static bool is_telling();

  /// The same, for what the process does not die of by itself; then ends it with status 1.
  [[noreturn]] static void tell_and_end(Death death, const char* what);

 private:
  const ReportAtDeath report_;
};

}  // namespace hocket
