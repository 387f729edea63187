// Searches by several processes, however short they are.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include <hocket/hocket.hpp>

#include "scheduler/schedules/schedule.hpp"
#include "scheduler/search/jobs.hpp"
#include "scheduler/strategies/strategy.hpp"

namespace hocket::test {

/// While an object exists, all searches that can be split are, if they last so long.
class SplitAtOnce {
 public:
  explicit SplitAtOnce(std::chrono::nanoseconds after = {}) { Jobs::begin_after = after; }
  ~SplitAtOnce() { Jobs::begin_after = usual_; }
  SplitAtOnce(const SplitAtOnce&) = delete;
  SplitAtOnce& operator=(const SplitAtOnce&) = delete;

 private:
  std::chrono::nanoseconds usual_ = Jobs::begin_after;
};

/// While an object exists, the default strategy decides after so many executions what joins in. If `eagerly`,
/// reductions join in wherever they can.
class DecideAfter {
 public:
  DecideAfter(unsigned executions, bool eagerly) {
    usual_trial.executions = executions;
    if (eagerly) usual_trial.mostly_known = 1;
  }
  ~DecideAfter() { usual_trial = usual_; }
  DecideAfter(const DecideAfter&) = delete;
  DecideAfter& operator=(const DecideAfter&) = delete;

 private:
  Trial usual_ = usual_trial;
};

inline Report searched(
    const std::function<void()>& body, Options options, unsigned jobs, std::chrono::nanoseconds after = {}) {
  const SplitAtOnce at_once(after);
  options.jobs = jobs;
  return explore("jobs", body, options);
}

inline std::vector<unsigned> codes_of(const FoundFailure& failure) {
  std::vector<unsigned> codes;
  for (const auto& choice : failure.schedule->choices) codes.push_back(choice.code);
  return codes;
}

/// What each failure is, and the schedule on which it was found.
using FailureAndSchedule = std::tuple<std::string, unsigned, std::vector<unsigned>>;
inline std::vector<FailureAndSchedule> failures_of(const Report& report) {
  std::vector<FailureAndSchedule> all;
  for (const FoundFailure& failure : report.failures)
    all.emplace_back(failure.message, failure.bound, codes_of(failure));
  return all;
}

}  // namespace hocket::test
