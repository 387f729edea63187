#include "known_patterns.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "../../runtime/diagnosis/notes.hpp"
#include "../../runtime/diagnosis/step_effects.hpp"
#include "../../runtime/terms/semantics.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "shown_steps.hpp"

namespace hocket {

namespace {

using runtime::Operation;
using Choice = runtime::RecordedChoice;
using Text = std::optional<std::string>;

/// What a step has found in its atomic, and what it has left there, where its notes tell it.
struct Values {
  Text found;
  Text left;
};

Values values_of(const Choice& step) {
  namespace notes = runtime::notes;
  const auto is_value = [](const std::string& note) {
    for (const std::string_view prefix :
        {notes::kReads, notes::kWrites, notes::kUntil, notes::kFor, notes::kFails})
      if (note.starts_with(prefix)) return false;
    return true;
  };
  const auto note = std::find_if(step.notes.begin(), step.notes.end(), is_value);
  if (note == step.notes.end()) return {};
  switch (step.operation) {
    case Operation::atomic_load:
      return {*note, *note};
    case Operation::atomic_store:
      return {{}, *note};
    case Operation::atomic_exchange:
    case Operation::atomic_fetch_add:
    case Operation::atomic_fetch_sub:
    case Operation::atomic_fetch_and:
    case Operation::atomic_fetch_or:
    case Operation::atomic_fetch_xor:
      return {*note, {}};
    case Operation::atomic_compare_exchange: {  // see Trace::compared() of the runtime
      constexpr std::string_view kSucceeded = "succeeded, ";
      constexpr std::string_view kBecomes = " becomes ";
      constexpr std::string_view kFound = ", found ";
      if (const std::size_t at = note->find(kFound);
          note->starts_with("failed, ") && at != std::string::npos) {
        const std::string found = note->substr(at + kFound.size());
        return {found, found};
      }
      const std::size_t at = note->find(kBecomes);
      if (!note->starts_with(kSucceeded) || at == std::string::npos) return {};
      return {note->substr(kSucceeded.size(), at - kSucceeded.size()), note->substr(at + kBecomes.size())};
    }
    default:
      return {};
  }
}

/// A value that an atomic got.
struct Change {
  std::size_t step;   ///< index of the choice
  std::string value;  ///< empty: not known, as nobody has read what was added to it
};

class Steps {
 public:
  explicit Steps(const Schedule& schedule) : all_(schedule.choices), threads_(schedule.threads) {}

  [[nodiscard]] const Choice& operator[](std::size_t n) const { return all_[n]; }
  [[nodiscard]] std::size_t count() const { return all_.size(); }
  [[nodiscard]] bool is_by(std::size_t n, unsigned thread) const {
    return !all_[n].is_value && all_[n].thread == thread;
  }

  /// What has become of the value that step `from` has found in its object, before step `to`. Nothing if that
  /// is not known in full.
  [[nodiscard]] std::optional<std::vector<Change>> changes(
      std::size_t from, const std::string& value, std::size_t to) const {
    std::vector<Change> changes;
    Text now = value;
    std::size_t unknown_since = 0;
    for (std::size_t n = from + 1; n < to; ++n) {
      const Choice& step = all_[n];
      if (step.is_value || step.object != all_[from].object) continue;
      const Values values = values_of(step);
      if (values.found && !now) changes.push_back({unknown_since, *values.found});
      if (values.found && now && *now != *values.found) return {};  // something else has written there
      if (values.found) now = values.found;
      if (!runtime::writes(step)) continue;
      if (values.left) changes.push_back({n, *values.left});
      now = values.left;
      unknown_since = n;
    }
    if (!now) changes.push_back({unknown_since, {}});
    return changes;
  }

  /// Whether `thread` holds the lock when it makes step `at`.
  [[nodiscard]] bool holds(unsigned thread, const std::string& lock, std::size_t at) const {
    bool has_waited = false;  // and has again what it gave back
    unsigned given_back = 0;  // of a recursive mutex
    for (std::size_t n = at; n-- > 0;) {
      if (!is_by(n, thread)) continue;
      if (takes(n, lock) && given_back-- == 0) return true;
      if (all_[n].operation == Operation::mutex_unlock && all_[n].object == lock) ++given_back;
      if (all_[n].lock == lock) return has_waited;
      has_waited = all_[n].operation == Operation::condition_reacquire;
    }
    return false;
  }
  [[nodiscard]] bool takes(std::size_t n, const std::string& lock) const {
    const bool needs_lock = runtime::semantics_of(all_[n].operation).needs == runtime::Need::lock;
    return needs_lock && all_[n].object == lock && !runtime::has_failed(all_[n]);
  }

  [[nodiscard]] std::string thread(std::size_t n) const {
    return utf8::printable(threads_.at(all_[n].thread).label);
  }
  [[nodiscard]] std::string object(std::size_t n) const { return utf8::printable(all_[n].object); }

 private:
  const std::vector<Choice>& all_;
  const std::vector<runtime::RecordedThread>& threads_;
};

std::string in_step(std::size_t n) {
  return " in step " + std::to_string(n + 1);
}

/// Whether a step can have found another value than the steps before it tell.
bool may_be_otherwise(const Schedule& schedule) {
  return std::any_of(schedule.choices.begin(), schedule.choices.end(),
      [](const Choice& choice) { return choice.chooses_store || choice.is_left_out; });
}

bool is_notification(const Choice& step, const std::string& condition) {
  const bool notifies =
      step.operation == Operation::condition_notify_one || step.operation == Operation::condition_notify_all;
  return notifies && !step.is_value && step.object == condition;
}

/// What a wait gives back, and where it begins.
struct Waiting {
  std::string lock;
  std::size_t begin;
};

/// A std::condition_variable_any counts the uses of a mutex of its own, locks that, gives back the lock that
/// it was given, and waits with its own.
Waiting waiting_at(const Steps& steps, std::size_t wait) {
  const auto before = [&](std::size_t n) {
    do {
      if (n-- == 0) return steps.count();
    } while (!steps.is_by(n, steps[wait].thread));
    return n;
  };
  const std::size_t unlock = before(wait);
  const std::size_t own = unlock < steps.count() ? before(unlock) : steps.count();
  if (own >= steps.count() || !steps.takes(own, steps[wait].lock)) return {steps[wait].lock, wait};
  if (steps[unlock].operation != Operation::mutex_unlock || steps[unlock].object == steps[wait].lock)
    return {steps[wait].lock, wait};
  const std::size_t use = before(own);
  const bool counts = use < steps.count() && steps[use].operation == Operation::atomic_fetch_add;
  return counts ? Waiting{steps[unlock].object, use} : Waiting{steps[wait].lock, wait};
}

/// The sentence for the thread whose last step, `wait`, is a wait on a condition variable.
std::string wake_up_lost_before(const Steps& steps, std::size_t wait) {
  const auto [lock, begin] = waiting_at(steps, wait);
  const std::string& condition = steps[wait].object;
  const unsigned waiter = steps[wait].thread;
  std::size_t notified = steps.count();
  for (std::size_t n = 0; n < steps.count(); ++n) {
    if (!is_notification(steps[n], condition)) continue;
    if (n > wait) return {};  // one that came later did not reach it: that is another story
    notified = n;
  }
  // What it has looked at since it did anything else than reading atomics and taking the lock.
  for (std::size_t n = begin; n-- > 0;) {
    if (!steps.is_by(n, waiter)) continue;
    if (steps[n].operation != Operation::atomic_load) {
      if (steps.takes(n, lock)) continue;
      return {};
    }
    const Values values = values_of(steps[n]);
    if (!values.found) continue;
    const auto changes = steps.changes(n, *values.found, steps.count());
    if (!changes || changes->empty() || changes->back().value == *values.found) continue;
    const auto later = std::find_if(
        changes->begin(), changes->end(), [&](const Change& change) { return change.step > wait; });
    if (later == changes->begin()) continue;
    const Change& change = *(later - 1);  // the last one before the wait
    const bool is_told = notified != steps.count() && change.step < notified;
    if (!is_told || change.value == *values.found || steps[change.step].thread == waiter) continue;
    const std::string without = " without " + utf8::printable(lock);
    const bool read_with_lock = steps.holds(waiter, lock, n);
    return steps.thread(n) + " read " + steps.object(n) + " = " + utf8::printable(*values.found) +
           in_step(n) + (read_with_lock ? "" : without) + "; " + steps.thread(change.step) +
           (change.value.empty() ? " changed it" : " set it to " + utf8::printable(change.value)) +
           in_step(change.step) + (steps.holds(steps[change.step].thread, lock, change.step) ? "" : without) +
           "; " + steps.thread(wait) + " waited" + in_step(wait) + ".";
  }
  return {};
}

/// Whether a thread waits on the condition variable when step `at` is made.
bool has_waiters(const Steps& steps, std::size_t at, const std::string& condition) {
  std::set<unsigned> waiters;
  for (std::size_t n = 0; n < at; ++n) {
    if (steps[n].is_value || steps[n].object != condition) continue;
    if (steps[n].operation == Operation::condition_wait && steps[n].mode != runtime::Mode::expire)
      waiters.insert(steps[n].thread);
    if (steps[n].operation == Operation::condition_reacquire) waiters.erase(steps[n].thread);
  }
  return !waiters.empty();
}

/// The sentence for the thread whose last step, `wait`, is a wait on a condition variable, where what it
/// waits for is plain data, of which no step tells.
std::string notified_before(const Steps& steps, std::size_t wait) {
  const auto [lock, begin] = waiting_at(steps, wait);
  const std::string& condition = steps[wait].object;
  const unsigned waiter = steps[wait].thread;
  std::size_t notified = steps.count();
  for (std::size_t n = 0; n < steps.count(); ++n) {
    if (steps.is_by(n, waiter) && steps[n].operation == Operation::atomic_load) return {};
    if (!is_notification(steps[n], condition)) continue;
    if (n > wait) return {};
    notified = n;
  }
  if (notified == steps.count() || steps[notified].thread == waiter ||
      has_waiters(steps, notified, condition))
    return {};
  // If it had the lock after the notification, or what it is for was changed under the lock before, the
  // waiter could see that.
  for (std::size_t n = 0; n < begin; ++n) {
    const bool had_lock = steps[n].operation == Operation::mutex_unlock && steps[n].object == lock;
    if (had_lock && steps.is_by(n, n < notified ? steps[notified].thread : waiter)) return {};
  }
  std::string text;
  for (std::size_t n = notified; n-- > 0 && text.empty();) {
    if (!steps.is_by(n, waiter) || steps[n].object != lock) continue;
    if (steps[n].operation != Operation::mutex_unlock) break;
    text = steps.thread(n) + " gave " + steps.object(n) + " back" + in_step(n) + "; ";
  }
  return text + steps.thread(notified) + " notified " + utf8::printable(condition) + in_step(notified) +
         ", when no thread waited; " + steps.thread(wait) + " waited" + in_step(wait) + ".";
}

/// "0, then 1, 2, and 0 again"
std::string course_of(const std::string& value, const std::vector<Change>& changes) {
  constexpr std::size_t kMost = 6;
  std::string text = utf8::printable(value) + ", then ";
  for (std::size_t n = 0; n + 1 < changes.size() && n < kMost; ++n)
    text += utf8::printable(changes[n].value) + ", ";
  return text + (changes.size() - 1 > kMost ? "…, " : "") + "and " + utf8::printable(value) + " again";
}

/// What the thread of step `from` has read between that and step `to` and is no longer so then; empty if
/// there is nothing.
std::string out_of_date(const Steps& steps, std::size_t from, std::size_t to) {
  for (std::size_t n = from + 1; n < to; ++n) {
    const bool is_other = steps[n].object != steps[from].object;
    if (!steps.is_by(n, steps[from].thread) || steps[n].operation != Operation::atomic_load || !is_other)
      continue;
    const Values values = values_of(steps[n]);
    if (!values.found) continue;
    const auto changes = steps.changes(n, *values.found, to);
    if (!changes || changes->empty() || changes->back().value == *values.found) continue;
    if (changes->back().value.empty()) continue;
    if (steps[changes->back().step].thread == steps[from].thread) continue;  // it knows what it did itself
    return steps.object(n) + ", which " + steps.thread(n) + " read as " + utf8::printable(*values.found) +
           in_step(n) + ", is " + utf8::printable(changes->back().value) + " since step " +
           std::to_string(changes->back().step + 1);
  }
  return {};
}

std::string aba_at(const Steps& steps, std::size_t exchange) {
  const Choice& step = steps[exchange];
  const Values values = values_of(step);
  if (!values.found || runtime::has_failed(step)) return {};
  std::size_t from = exchange;
  do {
    if (from-- == 0) return {};
  } while (!steps.is_by(from, step.thread) || steps[from].object != step.object);
  const Values before = values_of(steps[from]);
  if (runtime::writes(steps[from]) || !before.found || *before.found != *values.found) return {};
  const auto changes = steps.changes(from, *before.found, exchange);
  if (!changes || changes->size() < 2 || changes->back().value != *values.found) return {};
  const std::string changed = out_of_date(steps, from, exchange);
  if (changed.empty()) return {};
  return "ABA: " + steps.thread(exchange) + "'s compare_exchange" + in_step(exchange) +
         " succeeded, although " + steps.object(exchange) + " had changed since step " +
         std::to_string(from + 1) + ": it was " + course_of(*before.found, *changes) + ". " + changed + ".";
}

/// The innermost function of a stack; empty if it is not known.
std::string_view function_of(const ShownStack& stack) {
  if (stack.frames.empty()) return {};
  const std::string_view frame = stack.frames.front();
  return frame.substr(0, frame.rfind("  "));
}

/// Whether the function is called as its class is: Box<int>::Box.
bool is_constructor(std::string_view function) {
  const std::size_t end = function.rfind("::");
  if (end == std::string_view::npos) return false;
  const std::string_view name = function.substr(end + 2);
  std::string_view scope = function.substr(0, end);
  int depth = 0;  // of the arguments of the last template, which are left out
  while (scope.ends_with('>') || depth != 0) {
    if (scope.empty()) return false;
    depth += scope.ends_with('>') ? 1 : scope.ends_with('<') ? -1 : 0;
    scope.remove_suffix(1);
  }
  return !name.empty() && scope.ends_with(name) &&
         (scope.size() == name.size() || scope[scope.size() - name.size() - 1] == ':');
}

}  // namespace

std::string lost_wake_up(const Schedule& schedule) {
  if (schedule.kind != runtime::FailureKind::deadlock || may_be_otherwise(schedule)) return {};
  const Steps steps(schedule);
  for (unsigned t = 0; t < schedule.threads.size(); ++t) {
    if (schedule.threads[t].waiting.for_what != "notification") continue;
    std::size_t n = steps.count();
    while (n != 0 && !steps.is_by(n - 1, t)) --n;
    if (n == 0 || steps[n - 1].operation != Operation::condition_wait || steps[n - 1].lock.empty()) continue;
    if (std::string text = wake_up_lost_before(steps, n - 1); !text.empty()) return text;
    // If it fails under every schedule, it is not that the notification came too early.
    if (schedule.schedules_tried != 0) continue;
    if (std::string text = notified_before(steps, n - 1); !text.empty()) return text;
  }
  return {};
}

std::string value_that_came_back(const Schedule& schedule) {
  if (!schedule.complete || may_be_otherwise(schedule)) return {};
  const Steps steps(schedule);
  const std::size_t last = failing_choice(schedule);
  for (std::size_t n = 0; n < steps.count() && n <= last; ++n) {
    if (steps[n].is_value || steps[n].operation != Operation::atomic_compare_exchange) continue;
    if (std::string text = aba_at(steps, n); !text.empty()) return text;
  }
  return {};
}

std::string use_under_construction(const Schedule& schedule) {
  constexpr std::string_view kWrite = "The write by ";
  if (schedule.kind != runtime::FailureKind::data_race || schedule.stacks.size() != 2) return {};
  if (schedule.message.find("before it was constructed") != std::string::npos) return {};
  const bool is_first = is_constructor(function_of(schedule.stacks[0]));
  const ShownStack& made = schedule.stacks[is_first ? 0 : 1];
  const bool is_other = is_constructor(function_of(schedule.stacks[is_first ? 1 : 0]));
  if (is_other || !is_constructor(function_of(made)) || !made.title.starts_with(kWrite)) return {};
  const auto access = std::find_if(schedule.threads.begin(), schedule.threads.end(),
      [](const runtime::RecordedThread& thread) { return !thread.access.object.empty(); });
  if (access == schedule.threads.end()) return {};
  return "If " + access->access.object + " is part of what " + std::string(function_of(made)) +
         " constructs, that was published before it was constructed: let no other thread have it until then.";
}

}  // namespace hocket
