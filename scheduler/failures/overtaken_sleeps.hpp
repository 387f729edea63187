// Says which sleep or timed wait of a failing execution has ended before what would have come earlier on a
// machine on which nothing else takes time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../../runtime/terms/choice.hpp"
#include "../replays/plan.hpp"
#include "../schedules/schedule.hpp"

namespace hocket {

/// A sleep, or a wait that has expired.
struct EarlySleep {
  std::size_t at = 0;  ///< the choice at which it ends
  std::string text;    ///< a sentence
  unsigned other = 0;  ///< the thread that it has overtaken
  std::optional<std::size_t>
      overtaken{};  ///< the choice that should have come before; nothing: its first step
};

/// Those before the failure, the last one first. Those that ended before another one come before those that
/// ended before a thread went on that was awake: "main's sleep of 1 s (a.cpp:3) ended in step 1, before
/// thread 1's atomic.store of x in step 4." Asks for RecordedChoice::sleeps, so the schedule is one that was
/// recorded.
std::vector<EarlySleep> early_sleeps(const Schedule& schedule);

/// Follows a plan, but with a sleep that ends only when no other thread can go on that is awake, and the step
/// that it has overtaken was made.
class PutsRight final : public runtime::Chooser {
 public:
  /// `plan`: of the schedule; it must outlive this object.
  PutsRight(const Plan& plan, const Schedule& schedule, const EarlySleep& sleep);
  runtime::Code choose(const runtime::ChoicePoint& point) override;

 private:
  /// A step of a thread.
  struct Step {
    unsigned thread = 0;
    runtime::Mode mode{};
    std::uint32_t before = 0;  ///< how many the thread makes before it
    std::uint32_t made = 0;    ///< how many it has made by now
  };
  static Step step_at(const Schedule& schedule, std::size_t at);

  FollowPlan plan_;
  Step late_;
  Step first_;
  std::uint32_t seen_ = 0;  ///< positions that are counted
};

}  // namespace hocket
