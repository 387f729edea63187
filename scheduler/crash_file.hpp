// The schedule of an execution that crashes the process: on disk before the process dies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <hocket/scheduler/schedule.hpp>

namespace hocket {

/// While one lives, SIGSEGV, SIGABRT, SIGFPE, SIGBUS and SIGILL on a logical thread write an incomplete
/// schedule file. Everything but the choices and the number of executions is made ready here, since the
/// handler may allocate nothing: it calls open, write, fsync and link only. Then the signal takes its course
/// with the handler that was there before.
class CrashFile {
 public:
  /// `about` describes the search; `directory` is where the file goes. Empty: only a message is printed.
  /// `executions_so_far` is read when the file is written.
  CrashFile(const Schedule& about, const std::string& directory, const std::uint64_t& executions_so_far);
  ~CrashFile();
  /// While `file` is replayed, which ended in a crash before: the crash is announced as that one and not
  /// saved again. Empty: no such file.
  static void expect(const std::string& file);
  CrashFile(const CrashFile&) = delete;
  CrashFile& operator=(const CrashFile&) = delete;
};

}  // namespace hocket
