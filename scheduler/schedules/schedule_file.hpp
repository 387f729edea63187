// Schedule files: one failing execution as JSON that a person can read. docs/schedule-file.md describes the
// format.
//
// Files are not trusted. Reading one takes memory in proportion to its size, writes nothing and starts no
// process. It yields a Schedule in which every index, code and number is in range, or throws a ScheduleError.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "schedule.hpp"

namespace hocket {

/// A schedule file cannot be read or written. what() is one sentence without a full stop. It names the file
/// and the place in it, and says what is wrong and what to do.
class ScheduleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The maximum size of a file that is read or written, in bytes. The longest possible execution fits.
inline constexpr std::size_t kMostScheduleBytes = std::size_t{256} << 20U;

/// The schedule as the text of its file. Bytes in names and notes that are not UTF-8 become the text "\xff".
/// An incomplete schedule ends in "choices": [ … ] with the codes, so that a crash handler can prepare
/// everything else in advance.
std::string to_json(const Schedule& schedule);

/// The schedule that `text` holds. Throws ScheduleError, in which the file is called `name`.
Schedule schedule_from_json(std::string_view text, std::string_view name);

/// What is written in place of a file's name for a schedule that comes through standard input.
inline constexpr std::string_view kStandardInput = "-";
/// The name of a file in sentences.
std::string name_in_sentences(const std::filesystem::path& file);

/// The schedule in `file`, which may be kStandardInput. Throws ScheduleError. Standard input can be read
/// again, also by a program that this process starts or becomes: what comes through it is kept in a file in
/// memory, which takes its place. A later read of the stream finds nothing more in it.
Schedule read_schedule(const std::filesystem::path& file);

/// What a replay needs of the schedule, as one line of JSON, for schedules that cannot be saved: the choices,
/// the rules, and what went wrong. It can be read like a file.
std::string essential_line(const Schedule& schedule);
/// Comes before that line where it is printed.
inline constexpr std::string_view kBeforePrintedSchedule =
    "\nhocket: to replay it, give the next line to the input of: hocket replay - PROGRAM\n";

/// Writes the schedule to a new file in `folder` and returns its path. Creates `folder` if it is missing. The
/// name is schedule_file_name(schedule.test, n) with the least n that is not taken. The file appears complete
/// or not at all. Throws ScheduleError.
std::filesystem::path save_new(const Schedule& schedule, const std::filesystem::path& folder);

/// Replaces the contents of `file` with the schedule, completely or not at all. Throws ScheduleError.
void replace(const std::filesystem::path& file, const Schedule& schedule);

/// The files in `folder` with the names that save_new gives to files of `test`, in the order of their
/// numbers. None if there is no such folder. The files are not opened, so one of them may hold the schedule
/// of another test: "a-2" is the name of the second file of "a" and of the first file of "a-2".
/// Schedule::test tells which test a file belongs to.
std::vector<std::filesystem::path> saved_schedules(
    const std::filesystem::path& folder, std::string_view test);

/// Moves a schedule file of the test into the folder "fixed" beside it, under a name that is free there.
/// Returns where it is then; empty if it could not be moved.
std::filesystem::path move_to_fixed(const std::filesystem::path& file, std::string_view test);

/// The common beginning of the names of the test's files: the name of the test, with '_' for characters that
/// do not belong in a file name. A name that is too long is cut and ends in a hash.
std::string schedule_file_stem(std::string_view test);

/// The name of the n-th file of the test: "queue.schedule.json", "queue-2.schedule.json", …
std::string schedule_file_name(std::string_view test, unsigned n);

}  // namespace hocket
