#include "overtaken_sleeps.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "../../runtime/diagnosis/time_text.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../schedules/shown_steps.hpp"

namespace hocket {

namespace {

using runtime::RecordedChoice;
using runtime::RecordedThread;

bool is_sleep(const RecordedChoice& choice) {
  return !choice.is_value && (choice.operation == runtime::Operation::thread_sleep ||
                                 (choice.mode == runtime::Mode::expire && choice.sleeps != 0));
}

std::string_view kind_of(const RecordedChoice& choice) {
  return choice.operation == runtime::Operation::thread_sleep ? "sleep" : "wait";
}

/// When each sleep would end if nothing but sleeps and waits that expire took time, by the index of its
/// choice; for other choices the time of their thread. A thread begins at the time of its creator, and one
/// that joins another comes to the end of that one.
std::vector<std::int64_t> times_without_delays(const Schedule& schedule) {
  std::vector<std::int64_t> of_threads(schedule.threads.size());
  std::vector<std::int64_t> times(schedule.choices.size());
  for (std::size_t n = 0; n < schedule.choices.size(); ++n) {
    for (std::size_t t = 0; t < schedule.threads.size(); ++t) {
      const RecordedThread& thread = schedule.threads[t];
      if (thread.creator >= 0 && thread.made_after == n)
        of_threads[t] = of_threads[static_cast<std::size_t>(thread.creator)];
    }
    // Of a chain of joins that end together: who is joined first mostly comes last.
    for (std::size_t t = schedule.threads.size(); t-- > 0;) {
      const RecordedThread& thread = schedule.threads[t];
      if (thread.joiner < 0 || thread.joined_after != n) continue;
      std::int64_t& joiner = of_threads[static_cast<std::size_t>(thread.joiner)];
      joiner = std::max(joiner, of_threads[t]);
    }
    const RecordedChoice& choice = schedule.choices[n];
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
  const RecordedChoice& choice = schedule.choices[at];
  const bool is_wait = kind_of(choice) == "wait";
  return owner(schedule, at) + std::string(kind_of(choice)) + " of " + runtime::time_text(choice.sleeps) +
         (is_wait && !choice.object.empty() ? " on " + choice.object : "") +
         (choice.where.empty() ? "" : " (" + choice.where + ")") + (is_wait ? " expired" : " ended") +
         step(at) + ", before ";
}

/// The next step of each other thread after the choice, if the thread has been created by then.
std::vector<std::size_t> next_of_others(const Schedule& schedule, std::size_t at) {
  std::vector<bool> is_seen(schedule.threads.size());
  is_seen[schedule.choices[at].thread] = true;
  std::vector<std::size_t> next;
  for (std::size_t n = at + 1; n < schedule.choices.size(); ++n) {
    const RecordedChoice& choice = schedule.choices[n];
    if (choice.is_value || is_seen[choice.thread]) continue;
    is_seen[choice.thread] = true;
    if (schedule.threads[choice.thread].made_after <= at) next.push_back(n);
  }
  return next;
}

/// A thread that is there at the choice and makes no step up to the failure, as where that ends the
/// execution.
std::optional<unsigned> thread_without_steps(const Schedule& schedule, std::size_t at) {
  std::vector<bool> has_steps(schedule.threads.size());
  for (const RecordedChoice& choice : schedule.choices) has_steps[choice.thread] = true;
  for (unsigned t = 0; t < schedule.threads.size(); ++t) {
    const RecordedThread& thread = schedule.threads[t];
    if (!has_steps[t] && thread.creator >= 0 && thread.made_after <= at && thread.joiner < 0) return t;
  }
  return {};
}

}  // namespace

std::vector<EarlySleep> early_sleeps(const Schedule& schedule) {
  const std::vector<std::int64_t> times = times_without_delays(schedule);
  std::vector<EarlySleep> early;
  std::vector<EarlySleep> before_a_step;
  const std::size_t end = std::min(failing_choice(schedule) + 1, schedule.choices.size());
  for (std::size_t n = end; n-- > 0;) {
    if (!is_sleep(schedule.choices[n])) continue;
    const std::vector<std::size_t> next = next_of_others(schedule, n);
    const auto first = std::min_element(
        next.begin(), next.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    if (first == next.end() || times[*first] >= times[n]) {
      if (const auto idle = thread_without_steps(schedule, n))
        before_a_step.push_back(
            {n, ended(schedule, n) + schedule.threads[*idle].label + " had made a step.", *idle});
      continue;
    }
    const RecordedChoice& overtaken = schedule.choices[*first];
    std::string text = ended(schedule, n) + owner(schedule, *first);
    if (is_sleep(overtaken)) {
      const bool is_alike = kind_of(overtaken) == kind_of(schedule.choices[n]);
      text += (is_alike ? "" : std::string(kind_of(overtaken)) + " ") + "of " +
              runtime::time_text(overtaken.sleeps);
    } else {
      text += overtaken.name() + (overtaken.object.empty() ? "" : " of " + overtaken.object);
    }
    (is_sleep(overtaken) ? early : before_a_step)
        .push_back({n, text + step(*first) + ".", overtaken.thread, *first});
  }
  std::move(before_a_step.begin(), before_a_step.end(), std::back_inserter(early));
  return early;
}

PutsRight::Step PutsRight::step_at(const Schedule& schedule, std::size_t at) {
  const unsigned thread = schedule.choices[at].thread;
  const auto before =
      std::count_if(schedule.choices.begin(), schedule.choices.begin() + static_cast<std::ptrdiff_t>(at),
          [&](const RecordedChoice& choice) { return !choice.is_value && choice.thread == thread; });
  return {thread, schedule.choices[at].mode, static_cast<std::uint32_t>(before)};
}

PutsRight::PutsRight(const Plan& plan, const Schedule& schedule, const EarlySleep& sleep)
    : plan_(plan),
      late_(step_at(schedule, sleep.at)),
      first_(sleep.overtaken ? step_at(schedule, *sleep.overtaken) : Step{sleep.other}) {}

runtime::Code PutsRight::choose(const runtime::ChoicePoint& point) {
  for (; seen_ < point.position; ++seen_) {
    const runtime::LogEntry& entry = point.log->entries[seen_];
    if (entry.kind == runtime::LogEntry::value) continue;
    const unsigned thread = runtime::thread_of(entry.code);
    late_.made += thread == late_.thread ? 1 : 0;
    first_.made += thread == first_.thread ? 1 : 0;
  }
  const runtime::Code planned = plan_.choose(point);
  const bool is_about_sleep = point.entry.kind != runtime::LogEntry::value &&
                              runtime::thread_of(planned) == late_.thread &&
                              runtime::mode_of(planned) == late_.mode && late_.made == late_.before;
  if (!is_about_sleep) return planned;
  runtime::Code chosen = planned;
  point.log->for_each_candidate(point.entry, [&](const runtime::Candidate& candidate) {
    const unsigned thread = runtime::thread_of(candidate.code);
    const runtime::Mode mode = runtime::mode_of(candidate.code);
    const bool is_first = thread == first_.thread && mode == first_.mode && first_.made <= first_.before;
    const bool is_awake = mode == runtime::Mode::run && runtime::execution.thread(thread).pending.operation !=
                                                            runtime::Operation::thread_sleep;
    if (thread == late_.thread || (!is_first && !is_awake)) return;
    if (chosen == planned || candidate.code == point.entry.code) chosen = candidate.code;
  });
  return chosen;
}

}  // namespace hocket
