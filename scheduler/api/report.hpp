// The result of a search.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/races/weaker_orders.hpp"
#include "../../runtime/terms/failure.hpp"
#include "options.hpp"
#include "shard.hpp"

namespace hocket {

struct Schedule;

enum class Verdict : std::uint8_t {
  failed,               ///< an execution failed
  passed_within_bound,  ///< every execution within the bound was run
  passed_exhaustively,  ///< every possible execution was run
  passed_sample,        ///< a sampling strategy has run all its executions
  passed_shard,         ///< every execution of its shard within the bound was run: see Report::shard
  stopped,              ///< a limit or Ctrl-C ended the search before it was complete
  nondeterministic,     ///< the body behaves differently under the same schedule
};

/// The verdict as reports print it, for example "passed within the bound".
std::string_view to_string(Verdict verdict);

using runtime::FailureKind;
using runtime::WeakerOperation;

/// One way in which the test fails.
struct FoundFailure {
  FailureKind kind = FailureKind::check;
  std::string message;       ///< lines end with '\n', except the last
  std::string where;         ///< "file.cpp:12", or empty
  unsigned bound = 0;        ///< the cost of the failing execution, in Report::bound_unit
  unsigned found_bound = 0;  ///< the cost with which the search found it, before it was made shorter
  unsigned known_least = 0;  ///< every schedule with fewer preemptions was run, and none fails in this way
  std::uint64_t executions = 0;   ///< executions run before this one
  bool is_in_short = false;       ///< one of many: told in a line, without a file
  bool from_saved = false;        ///< found by replaying a failure that was saved earlier
  std::string differs_from_file;  ///< of a replay: what the file has instead, or empty
  std::string schedule_file;      ///< empty if not saved
  std::string not_saved_because;  ///< why it was not saved, if it should have been
  std::string output;             ///< what the body printed in this execution
  std::shared_ptr<const Schedule> schedule;
};

/// The executions with exactly this many preemptions.
struct BoundReport {
  std::uint64_t executions = 0;
  std::uint64_t classes = 0;  ///< happens-before classes met for the first time, among executions that passed
  std::uint64_t failures = 0;  ///< executions that failed
  bool complete = false;       ///< every execution with this many preemptions was run
};

/// How far a search has got with a bound that it has begun. Of random programs, nine of ten bounds have
/// turned out to be between `least` and `most`, whenever they were asked after a twentieth of the executions
/// or later.
struct BoundEstimate {
  unsigned bound = 0;
  std::uint64_t runs = 0;  ///< executions that were run at this bound, those that were cut short included
  double share = 0;        ///< how much of the bound they seem to be, from 0 to 1
  std::uint64_t least =
      0;  ///< executions that the bound probably has in all; not less than those run and pending
  std::uint64_t most = 0;  ///< and the largest number that is probable
  double seconds = 0;      ///< that the search has spent at this bound

  /// How long the rest of the bound takes if it has `executions` in all, in seconds.
  [[nodiscard]] double seconds_left(std::uint64_t executions) const {
    return runs == 0 ? 0 : seconds * static_cast<double>(executions - runs) / static_cast<double>(runs);
  }
};

/// An operation, and where in the user's code it is.
struct MeetingPlace {
  std::string operation;  ///< "atomic.load"
  std::string where;      ///< "file.cpp:12", or empty
  friend auto operator<=>(const MeetingPlace&, const MeetingPlace&) = default;
};

/// Two operations that different threads did to one object, of which one changed it, where nothing else
/// ordered them.
struct Meeting {
  MeetingPlace first;
  MeetingPlace second;
  std::uint64_t first_before = 0;   ///< how often the first came before the second; at least once
  std::uint64_t second_before = 0;  ///< and after it

  /// Whether the search has run two different operations in one order only.
  [[nodiscard]] bool has_one_order() const { return second_before == 0 && first != second; }
};

/// What a search has done so far. A search that begins anew begins with a new one.
struct Coverage {
  std::uint64_t executions = 0;      ///< those that ran to their end, including failing ones
  std::uint64_t pruned = 0;          ///< executions cut short by a reduction, or unfair and at the step limit
  std::uint64_t dropped = 0;         ///< executions dropped by assume()
  std::uint64_t classes = 0;         ///< distinct happens-before classes among the executions that passed
  std::uint64_t failed_classes = 0;  ///< distinct classes among the executions that failed
  std::uint64_t steps = 0;           ///< choice points in all executions
  std::uint64_t abandoned = 0;       ///< executions that left a stack that could not be unwound
  std::vector<BoundReport> bounds;   ///< by number of preemptions; empty for strategies without bounds
  /// Which timeouts ended only where no thread could go on, if the search met any such wait or sleep that
  /// could have ended before: "timeouts" or "timeouts of an hour or more"; otherwise empty. See
  /// Options::timeouts.
  std::string late_timeouts;
  /// Where threads were not preempted, if that left out anything: "in Cache::get", "outside queue.cpp"; see
  /// Options::seal.
  std::string sealed;
  bool counts_polling = false;          ///< rounds of polling loops were counted as preemptions
  std::vector<std::string> polls_at;    ///< where such loops yield, as "file.cpp:12", if known; the first few
  std::uint64_t pending = 0;            ///< pending work items at the end
  std::size_t frontier_peak_items = 0;  ///< the most work items pending at once
  std::size_t frontier_peak_bytes = 0;  ///< the memory they used then
  std::size_t table_bytes = 0;          ///< memory for the states that a reduction remembers
  std::size_t class_bytes = 0;          ///< memory for the set of classes
  ShardCoverage in_shard;               ///< if it ran a shard
};

struct Report : Coverage {
  std::string test;
  std::string strategy;
  Verdict verdict = Verdict::stopped;
  bool passed_over = false;  ///< some executions were dropped at a bug whose detector is off
  std::vector<FoundFailure> failures;
  /// Where threads met (--hocket_coverage): what was run in one order only comes first.
  std::vector<Meeting> meetings;
  /// Operations that were explored as seq_cst although they ask for a weaker memory order. There is one entry
  /// per source location, in the order in which they were first met. Empty if the verdict is failed or
  /// nondeterministic.
  std::vector<WeakerOperation> weaker_operations;
  bool may_be_more_weaker_operations = false;  ///< places that call the standard library may be missing
  std::optional<BoundEstimate> unfinished;     ///< where a stopped search was, if its strategy can tell
  std::string stopped_by;                      ///< what ended a stopped search: "the time limit", …
  /// c11: operations could read older values. A search that was asked for it stays with sc, which then shows
  /// the same, until it meets an operation weaker than seq_cst of a hocket:: atomic.
  MemoryModel memory_model = MemoryModel::sc;
  /// Options::max_stale, where operations could have read older values beyond it.
  std::optional<unsigned> most_stale;
  bool fair = false;                      ///< the search was fair: Options::fair
  std::string note;                       ///< any other reservation about a pass
  std::string bound_unit = "preemption";  ///< what the bounds count
  std::optional<Shard> shard;             ///< the part of the search that this is
  std::string split_search;               ///< of a shard: the options by which the search was split
  bool is_all_of_shard = false;           ///< passed_shard: it has nothing beyond the bound either
  /// Why the search began anew, in the order of the first times: its executions have other steps from there
  /// on. All shards of a search have to say the same.
  std::vector<std::string> began_anew;
  std::string explanation;     ///< where two runs of a nondeterministic body diverged, or why no search ran
  double seconds = 0;          ///< wall time
  bool from_saved = false;     ///< a failure saved earlier occurred again when it was replayed
  bool ended_at_race = false;  ///< a data race ended it: what else is in the test was not looked for
  bool is_replay = false;  ///< a schedule file was replayed; `verdict` is then failed (again), passed_sample
                           ///< (ran clean) or nondeterministic (diverged)

  [[nodiscard]] bool failed() const {
    return verdict == Verdict::failed || verdict == Verdict::nondeterministic;
  }
};

/// The report in readable form: the verdict, what was covered, and each failure with its schedule. `width`:
/// of the lines, in columns; 0: prose is not broken into lines, and tables have 110.
std::string to_text(const Report& report, bool color = false, unsigned width = 0);
std::ostream& operator<<(std::ostream& out, const Report& report);

}  // namespace hocket
