// Schedule files: one failing execution as JSON that a person can read. docs/schedule-file.md describes the
// format.
//
// Files come from strangers. Reading one takes memory in proportion to its size, writes nothing, starts
// nothing, and ends in a Schedule whose every index, code and number is in range, or in a ScheduleError.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "schedule.hpp"

namespace hocket {

/// A schedule file cannot be read or written. what() is one sentence without a full stop: the file, the place
/// in it, what is wrong, what to do.
class ScheduleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The largest file that is read or written, in bytes: room for the most steps an execution can have.
inline constexpr std::size_t kMostScheduleBytes = std::size_t{256} << 20U;

/// The schedule as its file holds it. Bytes in names and notes that are not UTF-8 become the text "\xff". An
/// incomplete schedule ends in "choices": [ … ] with the codes, so that a crash handler can have everything
/// else at hand.
std::string to_json(const Schedule& schedule);

/// The schedule that `text` holds. Throws ScheduleError, in which the file is called `name`.
Schedule schedule_from_json(std::string_view text, std::string_view name);

/// The schedule in `file`. Throws ScheduleError.
Schedule read_schedule(const std::filesystem::path& file);

/// Writes the schedule to a new file in `folder`, which is made where it is missing, and returns its path.
/// The name is schedule_file_name(schedule.test, n) with the least n that is not taken. The file appears in
/// full or not at all. Throws ScheduleError.
std::filesystem::path save_new(const Schedule& schedule, const std::filesystem::path& folder);

/// Writes the schedule in the place of what `file` holds, in full or not at all. Throws ScheduleError.
void replace(const std::filesystem::path& file, const Schedule& schedule);

/// The files in `folder` that are named as save_new names those of `test`, in the order of their numbers.
/// None if there is no such folder. They are not opened: a file may hold the schedule of another test, whose
/// name looks alike in a file name ("a" has "a-2" for its second file, and so has "a-2" for its first);
/// Schedule::test decides.
std::vector<std::filesystem::path> saved_schedules(
    const std::filesystem::path& folder, std::string_view test);

/// What the names of the test's files begin with: its name, with '_' for what does not belong into a file
/// name. A name that is too long is cut and ends in a hash.
std::string schedule_file_stem(std::string_view test);

/// The name of the n-th file of the test: "queue.schedule.json", "queue-2.schedule.json", …
std::string schedule_file_name(std::string_view test, unsigned n);

}  // namespace hocket
