#include "overtaken_sleeps.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../runtime/diagnosis/time_text.hpp"
#include "../schedules/shown_steps.hpp"

namespace hocket {

namespace {

using runtime::Trace;

bool is_sleep(const Trace::Choice& choice) {
  return !choice.is_value && choice.operation == runtime::Operation::thread_sleep;
}

/// When each sleep would end if nothing but sleeps took time, by the index of its choice; for other choices
/// the time of their thread. A thread begins at the time of its creator, and one that joins another comes to
/// the end of that one.
std::vector<std::int64_t> times_without_delays(const Schedule& schedule) {
  std::vector<std::int64_t> of_threads(schedule.threads.size());
  std::vector<std::int64_t> times(schedule.choices.size());
  for (std::size_t n = 0; n < schedule.choices.size(); ++n) {
    for (std::size_t t = 0; t < schedule.threads.size(); ++t) {
      const Trace::ThreadEntry& thread = schedule.threads[t];
      if (thread.creator >= 0 && thread.made_after == n)
        of_threads[t] = of_threads[static_cast<std::size_t>(thread.creator)];
    }
    // Of a chain of joins that end together: who is joined first mostly comes last.
    for (std::size_t t = schedule.threads.size(); t-- > 0;) {
      const Trace::ThreadEntry& thread = schedule.threads[t];
      if (thread.joiner < 0 || thread.joined_after != n) continue;
      std::int64_t& joiner = of_threads[static_cast<std::size_t>(thread.joiner)];
      joiner = std::max(joiner, of_threads[t]);
    }
    const Trace::Choice& choice = schedule.choices[n];
    if (is_sleep(choice)) of_threads[choice.thread] += choice.sleeps;
    times[n] = of_threads[choice.thread];
  }
  return times;
}

std::string owner(const Schedule& schedule, std::size_t at) {
  return schedule.threads[schedule.choices[at].thread].label + "'s ";
}

std::string step(std::size_t at) {
  return " in step " + std::to_string(at + 1);
}

std::string ended(const Schedule& schedule, std::size_t at) {
  const Trace::Choice& choice = schedule.choices[at];
  return owner(schedule, at) + "sleep of " + runtime::time_text(choice.sleeps) +
         (choice.where.empty() ? "" : " (" + choice.where + ")") + " ended" + step(at) + ", before ";
}

/// The next step of each other thread after the choice, if the thread has been created by then.
std::vector<std::size_t> next_of_others(const Schedule& schedule, std::size_t at) {
  std::vector<bool> is_seen(schedule.threads.size());
  is_seen[schedule.choices[at].thread] = true;
  std::vector<std::size_t> next;
  for (std::size_t n = at + 1; n < schedule.choices.size(); ++n) {
    const Trace::Choice& choice = schedule.choices[n];
    if (choice.is_value || is_seen[choice.thread]) continue;
    is_seen[choice.thread] = true;
    if (schedule.threads[choice.thread].made_after <= at) next.push_back(n);
  }
  return next;
}

/// A thread that is there at the choice and makes no step up to the failure, as where that ends the
/// execution.
std::string thread_without_steps(const Schedule& schedule, std::size_t at) {
  std::vector<bool> has_steps(schedule.threads.size());
  for (const Trace::Choice& choice : schedule.choices) has_steps[choice.thread] = true;
  for (std::size_t t = 0; t < schedule.threads.size(); ++t) {
    const Trace::ThreadEntry& thread = schedule.threads[t];
    if (!has_steps[t] && thread.creator >= 0 && thread.made_after <= at && thread.joiner < 0)
      return thread.label;
  }
  return {};
}

}  // namespace

std::optional<EarlySleep> early_sleep(const Schedule& schedule) {
  const std::vector<std::int64_t> times = times_without_delays(schedule);
  std::optional<EarlySleep> before_a_step;
  const std::size_t end = std::min(failing_choice(schedule) + 1, schedule.choices.size());
  for (std::size_t n = end; n-- > 0;) {
    if (!is_sleep(schedule.choices[n])) continue;
    const std::vector<std::size_t> next = next_of_others(schedule, n);
    const auto first = std::min_element(
        next.begin(), next.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    if (first == next.end() || times[*first] >= times[n]) {
      if (const std::string idle = thread_without_steps(schedule, n); !before_a_step && !idle.empty())
        before_a_step = EarlySleep{n, ended(schedule, n) + idle + " had made a step."};
      continue;
    }
    const Trace::Choice& overtaken = schedule.choices[*first];
    if (is_sleep(overtaken)) {
      return EarlySleep{n, ended(schedule, n) + owner(schedule, *first) + "of " +
                               runtime::time_text(overtaken.sleeps) + step(*first) + "."};
    }
    if (before_a_step) continue;
    before_a_step =
        EarlySleep{n, ended(schedule, n) + owner(schedule, *first) + overtaken.name() +
                          (overtaken.object.empty() ? "" : " of " + overtaken.object) + step(*first) + "."};
  }
  return before_a_step;
}

}  // namespace hocket
