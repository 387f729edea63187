#include "plan.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_map>

#include "../../runtime/execution/execution.hpp"

namespace hocket {

namespace {

using runtime::Candidate;
using runtime::ChoicePoint;
using runtime::Code;
using runtime::LogEntry;
using runtime::Mode;

constexpr std::uint32_t kToItsEnd = std::numeric_limits<std::uint32_t>::max();

std::uint64_t key_of(unsigned thread) {
  return runtime::execution.thread(thread).key;
}

std::uint32_t price_of(const runtime::ChoiceLog& log, const LogEntry& entry) {
  std::uint32_t price = 0;
  log.for_each_candidate(entry, [&](const Candidate& candidate) {
    if (candidate.code == entry.code) price = candidate.price;
  });
  return price;
}

}  // namespace

Plan Plan::without_preemption(std::size_t at) const {
  Plan plan = *this;
  Turn& preempted = plan.turns[at - 1];
  const auto next = std::find_if(plan.turns.begin() + static_cast<std::ptrdiff_t>(at), plan.turns.end(),
      [&](const Turn& turn) { return turn.thread == preempted.thread; });
  preempted.until = next == plan.turns.end() ? kToItsEnd : next->until;
  plan.tidy();
  return plan;
}

Plan Plan::without_turn(std::size_t at) const {
  Plan plan = *this;
  plan.turns.erase(plan.turns.begin() + static_cast<std::ptrdiff_t>(at));
  plan.tidy();
  return plan;
}

Plan Plan::beginning(std::size_t count) const {
  Plan plan = *this;
  plan.turns.resize(std::min(count, turns.size()));
  return plan;
}

void Plan::tidy() {
  std::unordered_map<std::uint64_t, std::uint32_t> made;
  std::vector<Turn> tidied;
  for (const Turn& turn : turns) {
    std::uint32_t& steps = made[turn.thread];
    if (turn.until <= steps) continue;
    steps = turn.until;
    if (!tidied.empty() && tidied.back().thread == turn.thread) {
      tidied.back().until = turn.until;
    } else {
      tidied.push_back(turn);
    }
  }
  turns = std::move(tidied);
}

std::pair<Plan, Effort> plan_of(const runtime::ChoiceLog& log) {
  Plan plan;
  Effort effort{.steps = log.size};
  std::unordered_map<std::uint64_t, std::uint32_t> made;
  std::uint32_t values = 0;
  for (std::uint32_t n = 0; n < log.size; ++n) {
    const LogEntry& entry = log.entries[n];
    const std::uint32_t price = price_of(log, entry);
    effort.price += price;
    if (entry.kind == LogEntry::value) {
      if (entry.code != 0) {
        const std::uint64_t thread = key_of(entry.previous);
        plan.values[{thread, made[thread], values}] = entry.code;
        effort.surprises += entry.code;
      }
      ++values;
      continue;
    }
    values = 0;
    const std::uint64_t thread = key_of(runtime::thread_of(entry.code));
    std::uint32_t& steps = made[thread];
    if (const Mode mode = runtime::mode_of(entry.code); mode != Mode::run) {
      plan.modes[{thread, steps}] = mode;
      ++effort.surprises;
    }
    ++steps;
    if (!plan.turns.empty() && plan.turns.back().thread == thread) {
      plan.turns.back().until = steps;
    } else {
      plan.turns.push_back({thread, steps, price != 0});
    }
  }
  effort.turns = plan.turns.size();
  return {std::move(plan), effort};
}

Code FollowPlan::choose(const ChoicePoint& point) {
  catch_up(point);
  return point.entry.kind == LogEntry::value ? choose_value(point) : choose_thread(point);
}

void FollowPlan::catch_up(const ChoicePoint& point) {
  for (; seen_ < point.position; ++seen_) {
    const LogEntry& entry = point.log->entries[seen_];
    if (entry.kind == LogEntry::value) {
      ++values_;
      continue;
    }
    values_ = 0;
    last_ = runtime::thread_of(entry.code);
    if (steps_.size() <= last_) steps_.resize(last_ + 1);
    ++steps_[last_];
  }
}

Code FollowPlan::choose_thread(const ChoicePoint& point) {
  for (; turn_ < plan_.turns.size(); ++turn_) {
    const Turn& turn = plan_.turns[turn_];
    Code chosen = runtime::kDiverged;
    Mode wanted = Mode::run;
    bool has_made_its_steps = false;
    point.log->for_each_candidate(point.entry, [&](const Candidate& candidate) {
      const unsigned thread = runtime::thread_of(candidate.code);
      if (key_of(thread) != turn.thread) return;
      const std::uint32_t steps = thread < steps_.size() ? steps_[thread] : 0;
      has_made_its_steps = steps >= turn.until;
      if (const auto mode = plan_.modes.find({turn.thread, steps}); mode != plan_.modes.end())
        wanted = mode->second;
      const Mode mode = runtime::mode_of(candidate.code);
      // A thread that can only continue in another way than planned does so only if it has no say in it.
      if (mode == wanted || (mode == Mode::run && chosen == runtime::kDiverged)) chosen = candidate.code;
    });
    if (!has_made_its_steps && chosen != runtime::kDiverged) return chosen;
  }
  return point.entry.code;
}

Code FollowPlan::choose_value(const ChoicePoint& point) const {
  const std::uint32_t steps = last_ < steps_.size() ? steps_[last_] : 0;
  const auto planned = plan_.values.find({key_of(last_), steps, values_});
  if (planned == plan_.values.end()) return 0;
  const auto count = static_cast<std::uint32_t>(point.entry.what);
  return std::min(planned->second, count - 1);
}

}  // namespace hocket
