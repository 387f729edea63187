// An execution in which the process dies before it does. The handler of a signal only says what it knows
// (LastWords); another process saves the schedule. Where there is none, that is all there is.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "../../runtime/platform/ending.hpp"
#include "../api/report.hpp"
#include "../process/body_guards.hpp"
#include "../process/exit_guard.hpp"
#include "../process/last_words.hpp"
#include "../process/watchdog.hpp"
#include "../schedules/schedule.hpp"
#include "supervised_search.hpp"

namespace hocket {

/// What is known of a death when it comes.
struct DeathDetail {
  std::string_view call{};      ///< of Death::stuck: the call in which the thread waits, such as "poll()"
  bool is_on_its_stack = true;  ///< whether the calling stack is that of the thread
};

/// While an object of this class exists, a dying process can say its last words.
class DyingProcess {
 public:
  /// `about` describes the search. `directory` is where a schedule goes; if it is empty, none is saved.
  /// `report` is of the executions so far. `watchdog` is the time after which a thread is stuck.
  DyingProcess(const Schedule& about, const std::string& directory, const Report& report,
      std::chrono::nanoseconds watchdog);
  ~DyingProcess();
  DyingProcess(const DyingProcess&) = delete;
  DyingProcess& operator=(const DyingProcess&) = delete;

  /// The search goes on under other rules than those of the last description.
  static void describe(const Schedule& about);

  /// Sets the file whose replay is expected to end in a death. The death is then reported as that of the file
  /// and not saved again. Empty: no such file.
  static void expect(const std::string& file);

  /// Says a sentence that begins with the name of the current thread and continues with `what`, and where the
  /// thread is, if this is its stack. Allocates nothing. To be called while an object exists.
  static void tell(Death death, const char* what, const DeathDetail& detail = {});

  /// Whether tell() has begun, so that the process must report nothing more.
  static bool is_telling();

  /// Ends this process, so that its supervisor tells how, and begins the program anew. Returns if it has no
  /// supervisor that would. Can be called in the handler of a signal.
  static void leave_to_supervisor();

  /// Like tell(), for what does not end the process by itself. Then ends it with status 1.
  [[noreturn]] static void tell_and_end(Death death, const char* what, const DeathDetail& detail = {});

  /// A child process of this search has ended in an execution, whose log of choices this process shares; if
  /// there is none, the schedule is not known. Tells so, and has the supervisor begin the program anew.
  /// Returns if there is none that would.
  static void tell_of_child(const runtime::platform::Ending& ending);
};

/// All guards that watch the process while a body runs.
class DeathGuards {
 public:
  /// As DyingProcess() and CrashSignals().
  DeathGuards(const Schedule& about, const std::string& directory, const Report& report,
      std::chrono::nanoseconds watchdog, bool lets_host_fault)
      : supervised_(about, directory),
        file_(about, directory, report, watchdog),
        signals_(lets_host_fault),
        watchdog_(watchdog) {}

 private:
  SupervisedSearch supervised_;
  DyingProcess file_;  // before those that use it
  CrashSignals signals_;
  ExitGuard exit_;
  ThreadGuard threads_;
  Watchdog watchdog_;
};

}  // namespace hocket
