// Runs one given schedule, to record a failure, to replay a file, or to examine a body that is not
// deterministic.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../../runtime/diagnosis/trace.hpp"
#include "../../runtime/execution/execution_options.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../schedules/schedule.hpp"
#include "../strategies/frontier.hpp"
#include "../strategies/strategy.hpp"
#include "exploration.hpp"

namespace hocket {

/// Chooses the given codes, one for each position, and the default after their end.
class FollowCodes final : public runtime::Chooser {
 public:
  explicit FollowCodes(std::vector<std::uint16_t> codes) : codes_(std::move(codes)) {}
  runtime::Code choose(const runtime::ChoicePoint& point) override {
    return point.position < codes_.size() ? codes_[point.position] : point.entry.code;
  }

 private:
  std::vector<std::uint16_t> codes_;
};

/// Chooses the default except at the given positions.
class FollowDeviations final : public runtime::Chooser {
 public:
  explicit FollowDeviations(std::vector<Deviation> deviations) : deviations_(std::move(deviations)) {}
  runtime::Code choose(const runtime::ChoicePoint& point) override {
    for (const Deviation& deviation : deviations_) {
      if (deviation.position == point.position) return deviation.code;
    }
    return point.entry.code;
  }

 private:
  std::vector<Deviation> deviations_;
};

/// Chooses by the stable keys of threads, one choice for each position.
class FollowOrder final : public runtime::Chooser {
 public:
  explicit FollowOrder(const std::vector<OrderedChoice>& order) : order_(order) {}
  runtime::Code choose(const runtime::ChoicePoint& point) override;

 private:
  const std::vector<OrderedChoice>& order_;
};

/// The codes that an execution chose.
std::vector<std::uint16_t> codes_of(const runtime::ChoiceLog& log);
/// The codes of a schedule.
std::vector<std::uint16_t> codes_of(const Schedule& schedule);

struct ReplayResult {
  enum class Kind : std::uint8_t { failed_again, ran_clean, diverged, stopped };  ///< stopped: by a signal
  Kind kind = Kind::ran_clean;
  std::string message;  ///< diverged: one sentence that names the step

  // -- failed_again
  std::string difference;           ///< what the file has in place of this failure; empty if it has this one
  Schedule schedule;                ///< the failure of this run, and the steps with their current places
  std::uint64_t signature = 0;      ///< of the failure
  runtime::RetryLoops retry_loops;  ///< those in which threads have yielded
};

/// The yields that threads made in loops that retry.
runtime::RecordedGivingWay giving_way_in(const Schedule& schedule);

/// The rules under which the execution of `schedule` ran.
runtime::ExecutionOptions replay_options(const Exploration& exploration, const Schedule& schedule);

/// "thread 1: mutex.lock queue", for a step and for a choice of a value.
std::string in_words(
    const runtime::RecordedChoice& choice, const std::vector<runtime::RecordedThread>& threads);

/// Called when everything except the last step has been made and checked. Returns whether to make that, too.
using BeforeLastStep = std::function<bool(const runtime::Trace&)>;

/// Called when a choice has been checked and will be made.
using BeforeStep = std::function<void(const runtime::Trace&)>;

/// Runs the body of `exploration` under `schedule` and compares every step before it is made. `same_build`
/// says whether source lines must agree too. `before_last_step` may be empty; if it forbids the last step,
/// the result is that of a replay that has diverged. `before_step` may be empty, too.
ReplayResult replay(const Schedule& schedule, const Exploration& exploration, bool same_build,
    const BeforeLastStep& before_last_step, const BeforeStep& before_step = {});

}  // namespace hocket
