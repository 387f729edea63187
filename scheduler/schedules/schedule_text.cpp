#include "schedule_text.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "../../runtime/platform/ending.hpp"
#include "../../runtime/terms/english.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../api/number_text.hpp"
#include "../api/text_width.hpp"
#include "known_patterns.hpp"
#include "schedule_lines.hpp"
#include "shown_steps.hpp"

namespace hocket {

namespace {

using runtime::FailureKind;
using runtime::RecordedThread;

std::string table(const Schedule& schedule, std::vector<StepLine> lines, const RenderOptions& options) {
  std::vector<std::string> labels;
  for (const RecordedThread& thread : schedule.threads) labels.push_back(utf8::printable(thread.label));
  return table_of_steps(std::move(labels), schedule.choices.size(), std::move(lines), options);
}

/// "thread 1", "main and thread 1", "5 threads": whose the steps [begin, end) are.
std::string threads_of(const Schedule& schedule, const Range& range) {
  std::vector<unsigned> threads;
  for (std::size_t n = range.begin; n < range.end; ++n) {
    const unsigned thread = schedule.choices[n].thread;
    if (std::find(threads.begin(), threads.end(), thread) == threads.end()) threads.push_back(thread);
  }
  const auto label = [&](std::size_t n) { return utf8::printable(schedule.threads.at(threads[n]).label); };
  if (threads.size() == 1) return label(0);
  if (threads.size() == 2) return label(0) + " and " + label(1);
  return std::to_string(threads.size()) + " threads";
}

/// "… the same 3 steps 1 664 times more" where the steps before the fold come again and again until its end,
/// and "… the 3 steps below, 1 664 times" where those after it are the same; otherwise nothing.
std::string rounds_text(const Schedule& schedule, const Range& range) {
  const std::size_t count = range.end - range.begin;
  const auto [length, rounds] = repetition_before(schedule, range.end);
  if (rounds == 0 || count % length != 0 || rounds * length < count) return {};
  const std::string times = number_text(count / length) + " times";
  const std::string steps = length == 1 ? "step" : runtime::count_of(length, "step");
  if (rounds * length >= count + length) return "… the same " + steps + " " + times + " more";
  const Repetition with_next =
      repetition_before(schedule, std::min(range.end + length, schedule.choices.size()));
  if (with_next.length == length && with_next.rounds > rounds) return "… the " + steps + " below, " + times;
  return {};
}

// "… 2 400 steps of thread 1", or that the steps before or after the fold come again and again.
std::string fold_text(const Schedule& schedule, const Range& range, std::size_t failing) {
  const std::size_t count = range.end - range.begin;
  if (std::string text = rounds_text(schedule, range); !text.empty()) return text;
  std::size_t preemptions = 0;
  bool is_left_out = false;
  for (std::size_t n = range.begin; n < range.end; ++n) {
    if (!is_stale(schedule.choices[n])) preemptions += schedule.choices[n].price;
    is_left_out |= schedule.choices[n].is_left_out;
  }
  std::string text = "… " + count_text(count, "step") + " of " + threads_of(schedule, range);
  if (is_left_out) return text + " (only their order is in the file)";
  if (preemptions != 0) text += ", with " + runtime::count_of(preemptions, "preemption");
  if (range.begin > failing) text += ", after the failure";
  return text;
}

StepLine fold(const Schedule& schedule, const Range& range, std::size_t failing) {
  StepLine line;
  line.thread = schedule.choices[range.begin].thread;
  line.is_for_all = true;
  line.head = fold_text(schedule, range, failing);
  return line;
}

std::string kind_text(const Schedule& schedule) {
  switch (schedule.kind) {
    case FailureKind::check:
      return "check failed";
    case FailureKind::assertion:
      return "assertion failed";
    case FailureKind::signal:
      return schedule.signal != 0 ? runtime::platform::signal_name(schedule.signal) : "the process died";
    default:
      return std::string(runtime::to_string(schedule.kind));
  }
}

}  // namespace

std::string render(const Schedule& schedule, const RenderOptions& options) {
  const std::size_t count = schedule.choices.size();
  if (!schedule.complete && count == 0) return "Its schedule is not known.\n";
  if (!schedule.complete) {
    return std::string(is_death(schedule.kind) ? "The process died" : "The search was stopped") +
           " before it could record what happened in the " + runtime::count_of(count, "choice") +
           " of this schedule; a replay will complete the file.\n";
  }
  const std::size_t failing = failing_choice(schedule);
  std::vector<StepLine> lines = lines_after(schedule, 0, failing);
  if (count == 0 && lines.empty()) return "It fails before the first step.\n";
  if (count == 0) lines.push_back(failure_line(lines.back().thread, kind_text(schedule)));
  std::size_t end = 0;
  for (const Range& range : shown_steps(schedule, options.max_rows)) {
    if (range.begin != end) lines.push_back(fold(schedule, {end, range.begin}, failing));
    for (std::size_t n = range.begin; n < range.end; ++n) {
      std::vector<StepLine> shown = lines_of(schedule, n, failing);
      std::vector<StepLine> more = lines_after(schedule, n + 1, failing);
      const auto failure = std::find_if(
          shown.begin(), shown.end(), [](const StepLine& line) { return line.style == Style::failure; });
      if (failure != shown.end() && !more.empty() && schedule.kind == FailureKind::data_race)
        failure->head = "FAILS: data race";  // which the rows above tell
      if (failure != shown.end() && schedule.kind == FailureKind::deadlock && !lost_wake_up(schedule).empty())
        failure->head = "FAILS: lost wake-up: no thread can continue";  // as the headline
      shown.insert(failure, std::move_iterator(more.begin()), std::move_iterator(more.end()));
      std::move(shown.begin(), shown.end(), std::back_inserter(lines));
    }
    end = range.end;
  }
  if (end != count) lines.push_back(fold(schedule, {end, count}, failing));
  return table(schedule, std::move(lines), options);
}

std::string headline(const Schedule& schedule, bool color, unsigned width) {
  const bool is_laid_out = schedule.kind == FailureKind::assertion;  // the lines of a test framework
  const std::string kind = kind_text(schedule);
  const std::string lost = lost_wake_up(schedule);
  std::string text;
  if (constexpr std::string_view kDeadlock = "deadlock: ";
      !lost.empty() && schedule.message.starts_with(kDeadlock)) {
    text = "lost wake-up: " + schedule.message.substr(kDeadlock.size());
    text.insert(std::min(text.find('\n'), text.size()), "\n" + lost);
  } else if (schedule.message.empty()) {
    text = kind;
  } else if (schedule.message.starts_with(kind)) {  // "deadlock: no thread can continue"
    text = schedule.message;
  } else {
    text = kind + ": " + schedule.message;
  }
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = utf8::printable(std::string_view(text).substr(begin, end - begin));
    result += begin == 0 ? wrapped(painted(line, Style::failure, color), width)
                         : "\n" + wrapped("  " + line, is_laid_out ? 0 : width);
    begin = end + 1;
  }
  for (const std::string& pattern : {value_that_came_back(schedule), use_under_construction(schedule)})
    if (!pattern.empty()) result += "\n" + wrapped("  " + utf8::printable(pattern), width);
  if (!schedule.where.empty()) result += "\n  at " + utf8::printable(schedule.where);
  return result;
}

namespace {

/// Splits "Cache::get  cache.cpp:23" before the place.
std::pair<std::string, std::string> split(std::string_view frame) {
  const std::size_t gap = frame.rfind("  ");
  if (gap == std::string_view::npos) return {utf8::printable(frame), {}};
  return {utf8::printable(frame.substr(0, gap)), utf8::printable(frame.substr(gap + 2))};
}

/// How many calls at the outer end the stacks have in common.
std::size_t common_calls(const ShownStack& one, const ShownStack& other) {
  std::size_t count = 0;
  const std::size_t most = std::min(one.frames.size(), other.frames.size());
  while (count < most && one.frames.rbegin()[static_cast<std::ptrdiff_t>(count)] ==
                             other.frames.rbegin()[static_cast<std::ptrdiff_t>(count)])
    ++count;
  return count;
}

}  // namespace

std::string stacks_text(const Schedule& schedule, std::size_t width) {
  constexpr std::size_t kLeastWidth = 40;
  constexpr std::size_t kWidestName = 60;
  constexpr std::string_view kIndent = "    ";
  width = std::max(width, kLeastWidth);
  std::size_t names = 0;
  for (const ShownStack& stack : schedule.stacks) {
    for (const std::string& frame : stack.frames) names = std::max(names, utf8::columns(split(frame).first));
  }
  names = std::min({names, kWidestName, width / 2});
  std::string text;
  const ShownStack* before = nullptr;
  for (const ShownStack& stack : schedule.stacks) {
    text += "\n" + utf8::printable(stack.title) + ":\n";
    std::size_t shown = stack.frames.size();
    // A single common call is told again: the sentence would be as long.
    if (before != nullptr) {
      if (const std::size_t common = common_calls(*before, stack); common > 1) shown -= common;
    }
    bool is_source_told = stack.source.empty();
    for (std::size_t n = 0; n < shown; ++n) {
      const auto [name, place] = split(stack.frames[n]);
      std::string line = std::string(kIndent) + utf8::shortened(name, std::max(names, width / 2));
      const std::size_t columns = utf8::columns(line);
      const std::size_t place_at = kIndent.size() + names + 2;
      if (!place.empty()) line += std::string(columns < place_at ? place_at - columns : 2, ' ') + place;
      text += utf8::shortened(line, width) + "\n";
      if (!place.empty() && !std::exchange(is_source_told, true))
        text += utf8::shortened("      " + utf8::printable(stack.source), width) + "\n";
    }
    if (shown != stack.frames.size()) {
      const std::string from = split(stack.frames[shown]).first;
      text += utf8::shortened(std::string(kIndent) +
                                  (shown == 0 ? "the same calls as above" : "called as above, from " + from),
                  width) +
              "\n";
    }
    before = &stack;
  }
  return text;
}

}  // namespace hocket
