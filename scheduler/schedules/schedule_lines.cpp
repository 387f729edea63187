#include "schedule_lines.hpp"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

#include "../../runtime/diagnosis/notes.hpp"
#include "../../runtime/terms/semantics.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "shown_steps.hpp"

namespace hocket {

namespace {

using runtime::Decision;
using runtime::Mode;
using runtime::Operation;
using runtime::RecordedChoice;
using runtime::RecordedThread;
using runtime::notes::kFails;
using runtime::notes::kFor;
using runtime::notes::kReads;
using runtime::notes::kUntil;
using runtime::notes::kWrites;

constexpr std::size_t kMostPlace = 32;  // columns

bool is_failure(std::string_view note) {
  return note.starts_with(kFails);
}
bool is_access(std::string_view note) {
  return note.starts_with(kReads) || note.starts_with(kWrites);
}

bool is_time(std::string_view note) {
  return note.starts_with(kUntil) || note.starts_with(kFor);
}

// Shortens a place that is too long by cutting the end of the file name. The line number is kept.
std::string short_place(std::string_view place) {
  std::string text = utf8::printable(place);
  if (utf8::columns(text) <= kMostPlace) return text;
  const std::string line = text.substr(std::min(text.rfind(':'), text.size()));
  if (line.size() >= kMostPlace) return utf8::shortened(text, kMostPlace);
  return utf8::shortened(text.substr(0, text.size() - line.size()), kMostPlace - line.size()) + line;
}

// Splits "writes item = 7  queue.hpp:37" before the place.
std::pair<std::string_view, std::string_view> split_place(std::string_view note) {
  constexpr auto kNowhere = std::string_view::npos;
  const std::size_t gap = note.rfind("  ");
  const std::size_t colon = note.rfind(':');
  const bool has_place = gap != kNowhere && colon != kNowhere && colon > gap + 2 && colon + 1 < note.size() &&
                         note.find_first_not_of("0123456789", colon + 1) == kNowhere;
  if (!has_place) return {note, {}};
  return {note.substr(0, gap), note.substr(gap + 2)};
}

// The result of the operation, for example "3", or the thread that a notification woke; nullptr if none was
// recorded.
const std::string* result_of(const RecordedChoice& choice) {
  const Decision decision = runtime::semantics_of(choice.operation).decides;
  const bool wakes = decision == Decision::waiter || decision == Decision::waiters;
  if (choice.is_value && !wakes) return nullptr;
  if (choice.operation == Operation::model_step)
    return nullptr;  // its notes are what has changed in the state
  const auto result = std::find_if(choice.notes.begin(), choice.notes.end(),
      [](const std::string& note) { return !is_access(note) && !is_failure(note) && !is_time(note); });
  return result == choice.notes.end() ? nullptr : &*result;
}

std::string value_text(const RecordedChoice& choice, const std::string* result) {
  if (choice.chooses_store) return text_of_store(choice);
  const std::string nth_of = std::to_string(choice.code + 1) + " of " + std::to_string(choice.count);
  switch (runtime::semantics_of(choice.operation).decides) {
    case Decision::value:
      return "choose(" + std::to_string(choice.count) + ") → " + std::to_string(choice.code);
    case Decision::waiter:
      return "wakes " + (result != nullptr ? utf8::printable(*result) + ", " : "waiter ") + nth_of;
    case Decision::waiters:
      return (choice.code != 0 ? "passes over " : "reaches ") +
             (result != nullptr ? utf8::printable(*result) : "the next waiter");
    case Decision::spurious_failure:
      return choice.code != 0 ? "fails spuriously" : "does not fail spuriously";
    default:
      return std::string(runtime::to_string(choice.operation)) + ": outcome " + nth_of;
  }
}

StepLine preemption_line(unsigned thread) {
  StepLine line;
  line.thread = thread;
  line.head = "— preempted —";
  line.style = Style::preemption;
  line.is_preempted = true;
  return line;
}

StepLine choice_line(const Schedule& schedule, std::size_t n) {
  const RecordedChoice& choice = schedule.choices[n];
  StepLine line;
  line.step = n + 1;
  line.thread = choice.thread;
  line.place = short_place(choice.where);
  const std::string* result = result_of(choice);
  if (choice.is_left_out) {
    line.head = "(left out of the file)";
  } else if (choice.is_value) {
    line.head = value_text(choice, result);
  } else {
    line.head = utf8::printable(choice.name());
    line.name = utf8::printable(choice.object);
    if (choice.operation == Operation::model_step) line.head = std::exchange(line.name, {});
    for (const std::string& note : choice.notes) {
      if (is_time(note)) line.tail += " " + utf8::printable(note);
    }
    if (choice.mode == Mode::expire) {
      const bool is_wait =
          runtime::may_expire(choice.operation) || choice.operation == runtime::Operation::condition_wait;
      line.tail += is_wait ? " expires" : " when time has passed";
    }
    if (choice.mode == Mode::spurious) line.tail += " wakes spuriously";
    if (choice.mode == Mode::timeless) line.tail += " while no time passes";
  }
  if (result != nullptr && !choice.is_value) {
    constexpr std::string_view kArrow = "→ ";  // in front of what a pointer points to, too
    const bool has_arrow = result->starts_with(kArrow);
    line.tail += choice.operation == Operation::atomic_store ? " = " : has_arrow ? " " : " → ";
    line.tail += utf8::printable(*result);
  }
  if (!choice.order.empty()) line.tail += " (" + utf8::printable(choice.order) + ")";
  const std::uint32_t spent_on_switch = is_preemption(schedule, n) ? 1 : 0;
  if (choice.price > spent_on_switch) {
    line.tail += " (costs " + std::to_string(choice.price - spent_on_switch) + ")";
    line.style = Style::preemption;
  }
  return line;
}

}  // namespace

StepLine failure_line(unsigned thread, std::string_view message) {
  StepLine line;
  line.thread = thread;
  line.head = std::string(kFails) + utf8::printable(message.substr(0, message.find('\n')));
  line.style = Style::failure;
  return line;
}

namespace {

StepLine note_line(unsigned thread, std::string_view note) {
  if (is_failure(note)) return failure_line(thread, note.substr(kFails.size()));
  const auto [text, place] = split_place(note);
  StepLine line;
  line.thread = thread;
  line.head = "  " + utf8::printable(text);
  line.place = short_place(place);
  return line;
}

/// What a step reads, or where its store goes, if that is not the newest.
StepLine stale_line(const Schedule& schedule, std::size_t n) {
  StepLine line;
  line.thread = schedule.choices[n].thread;
  line.head = "  " + text_of_store(schedule.choices[n]);
  line.style = Style::preemption;
  return line;
}

StepLine wait_or_access(unsigned thread, std::string what, std::string_view object, std::string_view place) {
  StepLine line;
  line.is_apart = true;
  line.thread = thread;
  line.head = std::move(what);
  line.name = utf8::printable(object);
  line.place = short_place(place);
  return line;
}

/// Whether the last step of the thread is a wait for a notification, which then says what it waits for.
bool waits_in_last_step(const Schedule& schedule, unsigned thread) {
  for (std::size_t n = schedule.choices.size(); n-- > 0;) {
    const RecordedChoice& choice = schedule.choices[n];
    if (choice.is_value || choice.thread != thread) continue;
    return choice.operation == Operation::condition_wait || choice.operation == Operation::atomic_wait;
  }
  return false;
}

bool fails_at(const RecordedChoice& choice) {
  return std::any_of(choice.notes.begin(), choice.notes.end(), is_failure);
}

}  // namespace

std::string text_of_store(const RecordedChoice& choice) {
  const std::string newest = "step " + std::to_string(choice.newest.step);
  const bool stores = choice.operation == Operation::atomic_store;
  if (choice.code == 0) return stores ? "stores the newest value" : "reads the newest value";
  if (stores) return "stale: comes before " + newest;
  return "stale: " + newest + " stored " + utf8::printable(choice.newest.value);
}

std::vector<StepLine> lines_after(const Schedule& schedule, std::size_t choices, std::size_t failing) {
  std::vector<StepLine> lines;
  const std::size_t until = schedule.choices.empty() ? 0 : failing + 1;
  for (const unsigned number : {1U, 2U}) {
    for (unsigned t = 0; t < schedule.threads.size(); ++t) {
      const RecordedThread::Access& access = schedule.threads[t].access;
      if (access.what.empty() || access.number != number ||
          std::min<std::size_t>(access.after, until) != choices)
        continue;
      lines.push_back(wait_or_access(t, utf8::printable(access.what), access.object, access.where));
    }
  }
  if (choices != until || schedule.kind != runtime::FailureKind::deadlock) return lines;
  constexpr std::size_t kMost = 8;  // of what the message says, too
  for (unsigned t = 0; t < schedule.threads.size(); ++t) {
    const RecordedThread::Waiting& waiting = schedule.threads[t].waiting;
    const bool is_step = waiting.for_what == "notification" && waits_in_last_step(schedule, t);
    if (waiting.for_what.empty() || is_step || lines.size() == kMost) continue;
    std::string others;
    for (const unsigned other : waiting.threads)
      others += (others.empty() ? "" : ", ") + utf8::printable(schedule.threads.at(other).label);
    const bool joins = waiting.for_what == "end";
    const std::string what = joins                                ? "waits for the end of"
                             : waiting.for_what == "change"       ? "waits for a change of"
                             : waiting.for_what == "notification" ? "waits for a notification of"
                                                                  : "waits for";
    lines.push_back(wait_or_access(t, what, joins ? others : waiting.object, waiting.where));
  }
  return lines;
}

std::vector<StepLine> lines_of(const Schedule& schedule, std::size_t n, std::size_t failing) {
  assert(n < schedule.choices.size());
  std::vector<StepLine> lines;
  const RecordedChoice& choice = schedule.choices[n];
  if (choice.chooses_store && n != failing) return lines;  // it is told with its step
  if (is_preemption(schedule, n)) lines.push_back(preemption_line(schedule.choices[n - 1].thread));
  lines.push_back(choice_line(schedule, n));
  if (n + 1 < schedule.choices.size() && is_stale(schedule.choices[n + 1]))
    lines.push_back(stale_line(schedule, n + 1));
  const std::string* result = result_of(choice);
  for (const std::string& note : choice.notes) {
    if (&note != result && !is_time(note)) lines.push_back(note_line(choice.thread, note));
  }
  // The trace may have no note of the failure, for example after a crash.
  if (n == failing && !fails_at(choice)) lines.push_back(failure_line(choice.thread, schedule.message));
  return lines;
}

}  // namespace hocket
