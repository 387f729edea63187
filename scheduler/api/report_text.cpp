// The report of a search, as text: the verdict, what it rests on, the failures, and what to do next.
#include "report.hpp"

#include <ostream>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/diagnosis/source_text.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/english.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../options/replay_command.hpp"
#include "../options/settings.hpp"
#include "../schedules/schedule.hpp"
#include "../schedules/schedule_text.hpp"
#include "../schedules/schedule_words.hpp"
#include "bound_text.hpp"
#include "number_text.hpp"
#include "text_width.hpp"

namespace hocket {

namespace {

/// Of tables, where no width is given.
constexpr unsigned kUsualColumns = 110;

/// "240 executions (74 classes), 5 180 steps, in 12 ms"
std::string effort(const Report& report) {
  std::string text = count_text(report.executions, "execution");
  if (report.classes != 0) text += " (" + count_text(report.classes, "class") + ")";
  if (report.dropped != 0) text += ", " + number_text(report.dropped) + " dropped";
  if (report.dropped != 0 && !report.passed_over) text += " by assume()";
  if (report.pruned != 0) text += ", " + number_text(report.pruned) + " pruned";
  if (report.in_shard.others != 0)
    text += ", and " + number_text(report.in_shard.others) + " of other shards";
  return text + ", " + count_text(report.steps, "step") + ", in " + duration_text(report.seconds);
}

std::string table_of_bounds(const Report& report) {
  if (report.bounds.empty()) return {};
  const std::string heading =
      report.bound_unit == kPreemptionsAndStaleReads ? "bound" : plural_of_unit(report.bound_unit);
  std::string text =
      fmt::format("  {:>11} {:>13} {:>11} {:>9}\n", heading, "executions", "classes", "failed");
  constexpr std::size_t kMostRows = 16;
  const std::size_t count = report.bounds.size();
  const auto is_shown = [&](std::size_t bound) {
    constexpr std::size_t kFirst = 4;
    if (count <= kMostRows || bound < kFirst || bound + 2 >= count) return true;
    return report.bounds[bound].failures != 0 || !report.bounds[bound].complete;
  };
  for (std::size_t bound = 0; bound < count; ++bound) {
    std::size_t end = bound;
    BoundReport sum;
    for (; end < count && !is_shown(end); ++end) {
      sum.executions += report.bounds[end].executions;
      sum.classes += report.bounds[end].classes;
    }
    if (end - bound > 1) {
      text +=
          fmt::format("  {:>11} {:>13} {:>11} {:>9}\n", number_text(bound) + " to " + number_text(end - 1),
              number_text(sum.executions), number_text(sum.classes), 0);
      bound = end;
    }
    const BoundReport& b = report.bounds[bound];
    text += fmt::format("  {:>11} {:>13} {:>11} {:>9}{}\n", bound, number_text(b.executions),
        number_text(b.classes), number_text(b.failures), b.complete ? "" : "   not all");
  }
  return text;
}

/// " 1 is enough, as in the schedule below, and fewer are not."; empty if the failure is as it was found.
std::string shorter(const FoundFailure& failure) {
  if (failure.bound >= failure.found_bound) return {};
  if (failure.bound == 0) return " None is needed: the schedule below fails in the same way.";
  const std::string text = fmt::format(" {} {} enough, as in the schedule below", number_text(failure.bound),
      failure.bound == 1 ? "is" : "are");
  if (failure.known_least >= failure.bound) return text + ", and fewer are not.";
  if (failure.known_least == 0) return text + ".";
  return text + fmt::format("; fewer than {} are not.", number_text(failure.known_least));
}

/// "2 preemptions", "1 preemption and 1 stale read", "1 early store and no preemption".
std::string cost_text(const Report& report, const FoundFailure& failure) {
  const std::size_t stale = stale_choices(*failure.schedule);
  if (stale == 0 || failure.bound != failure.found_bound || stale > failure.bound)
    return count_of_units(failure.found_bound, report.bound_unit);
  std::string text;
  const auto add = [&text](std::size_t count, const char* what) {
    if (count != 0) text += (text.empty() ? "" : " and ") + count_text(count, what);
  };
  const std::size_t early = early_stores(*failure.schedule);
  add(failure.bound - stale, "preemption");
  add(stale - early, "stale read");
  add(early, "early store");
  return text + (failure.bound == stale ? " and no preemption" : "");
}

/// ", without preemptions in Cache::get"; empty if none were left out.
std::string without_preemptions(const Report& report) {
  return report.sealed.empty() ? "" : ", without preemptions " + report.sealed;
}

std::string smaller_schedules(const Report& report, const FoundFailure& failure) {
  if (failure.from_saved && !failure.differs_from_file.empty()) {
    return "The saved schedule now fails differently: " + utf8::printable(failure.differs_from_file) + ".\n";
  }
  if (failure.from_saved) return "This saved failure still occurs.\n";
  std::string text = "Found with " + cost_text(report, failure);
  if (report.is_replay) {
    const std::string less = shorter(failure);
    return less.empty() ? less : text + "." + less + "\n";
  }
  text += " " + after_executions(failure.executions) + "." + shorter(failure);
  std::uint64_t smaller = 0;
  for (std::size_t bound = 0; bound < report.bounds.size() && bound < failure.found_bound; ++bound) {
    if (!report.bounds[bound].complete) return text + "\n";  // of several shards, one has not come so far
    smaller += report.bounds[bound].executions - report.bounds[bound].failures;
  }
  // A failure may have been found beyond the last bound.
  std::string with = "with fewer " + plural_of_unit(report.bound_unit);
  if (report.bounds.size() == 1 && failure.found_bound > 1) {
    with = "without " + plural_of_unit(report.bound_unit);
  } else if (report.bounds.size() < failure.found_bound) {
    with = "with at most " +
           count_of_units(std::max<std::size_t>(report.bounds.size(), 1) - 1, report.bound_unit);
  }
  if (!report.sealed.empty()) with += without_preemptions(report) + ",";
  if (smaller == 1) text += fmt::format(" The one schedule {} passed.", with);
  if (smaller > 1) text += fmt::format(" All {} schedules {} passed.", number_text(smaller), with);
  return text + "\n";
}

std::string indented(std::string_view text, std::string_view by) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += std::string(by) + std::string(text.substr(0, end)) + "\n";
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return out;
}

std::string failure_text(const Report& report, const FoundFailure& failure, bool color, unsigned width) {
  constexpr unsigned kMostRows = 60;
  std::string text =
      "\n" + headline(*failure.schedule, color, width) + "\n" +
      wrapped(smaller_schedules(report, failure) + in_words(*failure.schedule, true, width), width);
  if (!failure.schedule_file.empty() && !report.is_replay) {
    text += fmt::format("The schedule is saved in {}.\nTo see it again:\n  {}\n",
        utf8::printable(failure.schedule_file), replay_command().with(file_for_shell(failure.schedule_file)));
  }
  if (!failure.not_saved_because.empty())
    text += "The schedule could not be saved: " + failure.not_saved_because + "\n";
  const unsigned columns = width != 0 ? width : kUsualColumns;
  text += stacks_text(*failure.schedule, columns);
  const unsigned rows = settings().all_steps ? 0 : kMostRows;
  text += "\n" + render(*failure.schedule, {.max_rows = rows, .width = columns, .color = color});
  if (!failure.output.empty()) text += "\nThe body printed:\n" + indented(failure.output, "  | ");
  return text;
}

/// ", counting rounds of polling (yield at queue.cpp:12, …)"; empty if there were none.
std::string counted_beside(const Report& report) {
  if (!report.counts_polling) return {};
  std::string places;
  for (const std::string& place : report.polls_at) places += (places.empty() ? "" : ", ") + place;
  return ", counting rounds of polling" + (places.empty() ? places : " (yield at " + places + ")");
}

/// ", at most 1 of them stale"; empty if that left nothing out.
std::string stale_limit(const Report& report) {
  return report.most_stale ? fmt::format(", at most {} of them stale", number_text(*report.most_stale)) : "";
}

/// ", with timeouts of an hour or more only where no thread could go on"; empty if there were none.
std::string held_back(const Report& report) {
  return report.late_timeouts.empty()
             ? ""
             : ", with " + report.late_timeouts + " only where no thread could go on";
}

/// "3 operations weaker than seq_cst were explored as seq_cst: flag.load at x.cpp:41 (acquire), …"
std::string weaker_operations_text(const Report& report) {
  constexpr std::size_t kShown = 3;
  const std::vector<WeakerOperation>& all = report.weaker_operations;
  if (all.empty()) return {};
  std::string text = report.may_be_more_weaker_operations ? "at least " : "";
  text += count_text(all.size(), "operation") + " weaker than seq_cst " + (all.size() == 1 ? "was" : "were") +
          " explored as seq_cst: ";
  const std::size_t shown = all.size() <= kShown + 1 ? all.size() : kShown;
  for (std::size_t n = 0; n < shown; ++n) {
    text += runtime::before_item(n, all.size());
    text += all[n].operation + runtime::at(all[n].where) + " (" + all[n].order + ")";
  }
  if (shown != all.size()) text += fmt::format(" and {} more", number_text(all.size() - shown));
  return text;
}

/// A reservation to append to the sentence that says what has passed; empty if there is none.
std::string reservation(const Report& report) {
  std::string text = without_preemptions(report) + held_back(report);
  if (report.memory_model == MemoryModel::c11) text += " (C++ memory model without load buffering)";
  if (report.weaker_operations.empty()) return text;
  return text + (report.memory_model == MemoryModel::c11 ? ", some operations taken as seq_cst"
                                                         : ", all operations taken as seq_cst");
}

/// Of a replay: what the file has in place of the failure; empty if it has the same.
std::string differs_from_file(const Report& report) {
  return report.failures.empty() ? std::string{} : utf8::printable(report.failures.front().differs_from_file);
}

/// What a search that has passed has run.
std::string schedules_of(const Report& report) {
  if (report.verdict == Verdict::passed_shard && report.is_all_of_shard) return "every schedule there is";
  if (report.bounds.empty() && !report.sealed.empty()) return "every schedule";
  return fmt::format("every schedule with at most {}{}{}",
      count_of_units(std::max<std::size_t>(completed_bounds(report), 1) - 1, report.bound_unit),
      stale_limit(report), counted_beside(report));
}

std::string verdict_line(const Report& report) {
  std::string name = report.test + ": ";
  if (report.is_replay) {
    switch (report.verdict) {
      case Verdict::failed:
        return name + "replayed, and it failed " +
               (differs_from_file(report).empty() ? "again" : "in another way: " + differs_from_file(report));
      case Verdict::nondeterministic:
        return name + "the replay diverged: " + report.explanation;
      case Verdict::stopped:
        return name + "the replay was stopped by " + report.stopped_by;
      default:
        return name + "replayed, and it ran clean: the failure did not come again";
    }
  }
  switch (report.verdict) {
    case Verdict::failed:
      return name + "FAILED: " + effort(report);
    case Verdict::passed_within_bound:
      return name + fmt::format("passed {}{}: ", schedules_of(report), reservation(report)) + effort(report);
    case Verdict::passed_exhaustively:
      return name + "passed every schedule there is" + reservation(report) + ": " + effort(report);
    case Verdict::passed_sample:
      return name + "passed a sample of schedules (" + report.strategy + ")" + reservation(report) + ": " +
             effort(report);
    case Verdict::passed_shard:
      return name +
             fmt::format("passed shard {} of {} of {}{}: ", report.shard->index, report.shard->count,
                 schedules_of(report), reservation(report)) +
             effort(report);
    case Verdict::stopped:
      if (!report.explanation.empty()) return name + "not searched: " + report.explanation;
      return name + "stopped by " + report.stopped_by +
             (report.stopped_by.find(',') != std::string::npos ? "," : "") +
             " before everything was covered: " + effort(report);
    case Verdict::nondeterministic:
      return name +
             "NONDETERMINISTIC: the body behaves differently under the same schedule: " + report.explanation +
             ".\nLook for addresses, clocks, random numbers, uninitialised memory, or state that survives "
             "from one execution to\nthe next" +
             (runtime::run.host != nullptr ? " (none does with --hocket_restore=fork)" : "") + "; it ran " +
             effort(report);
  }
  return name;
}

/// A line for each failure that is not told in full: its kind, and how its message begins.
std::string failures_in_short(const Report& report, unsigned width) {
  std::string lines;
  std::size_t count = 0;
  for (const FoundFailure& failure : report.failures) {
    if (!failure.is_in_short) continue;
    ++count;
    std::string line = headline(*failure.schedule);
    line.resize(std::min(line.find('\n'), line.size()));
    if (!failure.where.empty() && line.find(failure.where) == std::string::npos)
      line += " at " + utf8::printable(failure.where);
    lines += "  " + utf8::shortened(line, (width != 0 ? width : kUsualColumns) - 2) + "\n";
  }
  if (count == 0) return {};
  return fmt::format(
             "\n{} more {}, without a file:\n", number_text(count), runtime::noun_for(count, "failure")) +
         lines;
}

/// Why a search that found failures, and was to go on, has not come to its end; a line or empty.
std::string unfinished_text(const Report& report) {
  if (report.verdict != Verdict::failed || report.stopped_by.empty()) return {};
  return "The search was stopped by " + report.stopped_by + "; there may be other failures.\n";
}

/// What to try when a search has not come to its end; a line or empty.
std::string advice(const Report& report) {
  constexpr std::uint64_t kMany = 10;
  const std::uint64_t runs = report.executions + report.pruned;
  const bool repeats = report.classes != 0 && runs / report.classes >= kMany;
  if (report.verdict != Verdict::stopped || report.strategy != "icb" || !report.sealed.empty() || !repeats)
    return {};
  return fmt::format(
      "These executions were of {}: the others differed only in the order of independent steps. Try "
      "--hocket_strategy=icb-por, which leaves out most such orders.\n",
      count_text(report.classes, "class"));
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::failed:
      return "failed";
    case Verdict::passed_within_bound:
      return "passed within the bound";
    case Verdict::passed_exhaustively:
      return "passed exhaustively";
    case Verdict::passed_sample:
      return "passed sample";
    case Verdict::passed_shard:
      return "passed its shard";
    case Verdict::stopped:
      return "stopped";
    case Verdict::nondeterministic:
      return "nondeterministic";
  }
  return "?";
}

std::string to_text(const Report& report, bool color, unsigned width) {
  std::string text = wrapped(verdict_line(report), width) + "\n";
  if (!report.is_replay) {
    text += table_of_bounds(report) +
            wrapped(unfinished_text(report) + unfinished_bound_text(report) + advice(report), width);
  }
  std::string notes;
  if (!report.note.empty()) notes += "Note: " + report.note + ".\n";
  if (!report.weaker_operations.empty()) notes += "Note: " + weaker_operations_text(report) + ".\n";
  for (const FoundFailure& failure : report.failures) {
    const std::string note = note_on_names(*failure.schedule);
    notes += note;
    if (!note.empty()) break;
  }
  text += wrapped(notes, width);
  for (const FoundFailure& failure : report.failures) {
    if (!failure.is_in_short) text += failure_text(report, failure, color, width);
  }
  return text + failures_in_short(report, width);
}

std::ostream& operator<<(std::ostream& out, const Report& report) {
  return out << to_text(report);
}

}  // namespace hocket
