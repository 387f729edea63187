// A failing schedule as a plan that can be changed: which thread runs until which of its steps.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "../../runtime/terms/choice.hpp"

namespace hocket {

/// Steps of one thread, one after the other.
struct Turn {
  std::uint64_t thread;  ///< Thread::key
  std::uint32_t until;   ///< how many steps the thread has made at the end of the turn, in all of its turns
  bool preempts;         ///< its first step is a preemption of the turn before

  friend bool operator==(const Turn&, const Turn&) = default;
};

/// A schedule by threads and their own steps instead of by positions. So it still means something after one
/// of its turns was moved or left out.
struct Plan {
  using Step = std::pair<std::uint64_t, std::uint32_t>;                   ///< thread, and its steps before
  using Value = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;  ///< and values chosen in it before

  std::vector<Turn> turns;
  std::map<Step, runtime::Mode> modes;    ///< of steps that are not in Mode::run
  std::map<Value, std::uint32_t> values;  ///< that are not 0, by the step in which they are chosen

  /// Returns the plan with the preemption at the beginning of turn `at` taken back: the turn before goes on
  /// with the next turn of its thread, or until it blocks if there is none. `at` must be at least 1.
  [[nodiscard]] Plan without_preemption(std::size_t at) const;
  /// Returns the plan without turn `at`. Its steps are made in the next turn of its thread.
  [[nodiscard]] Plan without_turn(std::size_t at) const;
  /// Returns the first `count` turns of the plan.
  [[nodiscard]] Plan beginning(std::size_t count) const;

 private:
  /// Joins neighbouring turns of one thread, and removes turns without steps.
  void tidy();
};

/// How much there is to understand in a schedule. Schedules are compared by the first member that differs.
struct Effort {
  std::uint64_t price = 0;      ///< preemptions
  std::uint64_t turns = 0;      ///< changes of the running thread, and one
  std::uint64_t surprises = 0;  ///< expiries and spurious results, and the sum of all values
  std::uint64_t steps = 0;

  friend auto operator<=>(const Effort&, const Effort&) = default;
};

/// The plan that the execution with this log followed, and its effort. Called before the next execution
/// begins, because threads are identified by those of the last one.
std::pair<Plan, Effort> plan_of(const runtime::ChoiceLog& log);

/// Follows a plan as far as it fits: a turn ends early where its thread cannot continue, and is passed over
/// where it has made its steps already. After the last turn the default schedule goes on.
class FollowPlan final : public runtime::Chooser {
 public:
  explicit FollowPlan(const Plan& plan) : plan_(plan) {}
  runtime::Code choose(const runtime::ChoicePoint& point) override;

 private:
  void catch_up(const runtime::ChoicePoint& point);
  [[nodiscard]] runtime::Code choose_thread(const runtime::ChoicePoint& point);
  [[nodiscard]] runtime::Code choose_value(const runtime::ChoicePoint& point) const;

  const Plan& plan_;
  std::size_t turn_ = 0;
  std::uint32_t seen_ = 0;            ///< positions that are counted in steps_
  std::vector<std::uint32_t> steps_;  ///< by thread index
  unsigned last_ = 0;                 ///< the thread of the last step
  std::uint32_t values_ = 0;          ///< that were chosen in the last step
};

}  // namespace hocket
