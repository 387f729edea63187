// What is prepared for an execution in which the process dies: all text that a signal handler writes then,
// which may not allocate.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../api/report.hpp"
#include "../process/signal_safe.hpp"
#include "../schedules/schedule.hpp"
#include "crash_file.hpp"
#include "replay_command.hpp"

namespace hocket {

/// The text of a file, without the parts that are known only when it is written.
struct PreparedText {
  std::string until_executions;
  std::string until_choices;
  std::string rest;
};

/// What is known, to be told again in a program that begins anew.
template <std::size_t kMost>
class ToldText {
 public:
  /// Calls `put_text(file)`, and keeps what that writes to the file, as far as there is room. Returns whether
  /// there is something now: the system may let the process make no file.
  template <class PutText>
  bool keep(PutText put_text) {
    const int file = memfd_create("hocket", MFD_CLOEXEC);
    if (file < 0) return false;
    put_text(file);
    const ssize_t size = pread(file, text_.data(), text_.size(), 0);
    size_ = size > 0 ? static_cast<std::size_t>(size) : 0;
    close(file);
    return size_ != 0;
  }
  /// The same, and prints it on `screen`.
  template <class PutText>
  void print(int screen, PutText put_text) {
    if (!keep(put_text)) {
      put_text(screen);
      return;
    }
    signal_safe::put(screen, text_.data(), size_);
  }
  [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, kMost> text_;
  std::size_t size_ = 0;
};

/// A death that is saved in a file.
struct KnownDeath {
  std::vector<std::uint16_t> choices;
  std::string file;
  std::string printable_file;
  std::string file_in_report;
};

/// The body may write beyond its own blocks, so all text has a seal.
class PreparedDeath {
 public:
  /// `directory`: where the file goes; empty: nowhere. The others as for CrashFile.
  PreparedDeath(const Schedule& search, const std::string& directory, const Report& executions_so_far,
      std::chrono::nanoseconds time_of_watchdog);

  /// The search goes on under other rules.
  void describe(const Schedule& search);
  /// See CrashFile::expect().
  void expect(const std::string& file);
  void expect_choices(std::vector<std::uint16_t> choices, const std::string& file);

  /// Whether all text is as it was prepared. Allocates nothing.
  [[nodiscard]] bool is_whole() const { return number_of_text() == seal_; }

  /// Completes what is prepared for this death, with the call in which the thread waits. Allocates nothing.
  void set_call(Death death, std::string_view call);

  std::array<PreparedText, kDeaths> texts;
  std::string temporary;
  std::string folder;     ///< in which the file goes, as a path
  std::string stem;       ///< of the file's name, with its folder
  std::string extension;  ///< follows the stem and a number
  std::string name;       ///< room for a whole one
  std::string quoted_stem;
  std::string printable_stem;
  std::string printable_folder;
  ReplayCommand replay;
  std::chrono::nanoseconds watchdog{};
  bool saves = false;
  volatile bool is_telling = false;  ///< here, where a child process and its parent share it
  volatile bool has_told = false;
  const Report* report = nullptr;  ///< of the executions so far, without the current one
  std::vector<KnownDeath> known;
  std::string expected;  ///< the file that has the death already
  std::string printable_expected;
  const char* saved_as = nullptr;  ///< the file that has it now
  int not_saved_because = 0;       ///< an error number, if no file could be made
  Schedule about;                  ///< of the search, without choices
  std::string test;
  double begin = 0;       ///< of the search, in seconds
  ToldText<4096> what;    ///< the sentence, without its end
  ToldText<16384> stack;  ///< as put_stack() writes it

  volatile bool is_being_read = false;  ///< to compare it with the seal
  bool ends_here = false;  ///< the body has written there, or another process tells: nothing begins anew

  // For the report file, as JSON.
  std::array<std::string, kDeaths> kinds;
  std::array<std::string, kDeaths> messages;
  std::string file_in_report =
      "\"";  ///< its stem, or the whole name of the expected one, without the end quote

 private:
  void prepare_texts();
  [[nodiscard]] std::uint64_t number_of_text() const;

  std::uint64_t seal_ = 0;
};

}  // namespace hocket
