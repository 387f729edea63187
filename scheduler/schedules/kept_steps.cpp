#include "kept_steps.hpp"

#include <algorithm>
#include <cstddef>

#include "shown_steps.hpp"

namespace hocket {

namespace {

using runtime::RecordedChoice;

constexpr std::size_t kVeryMany = 50'000;
constexpr std::size_t kAtEachEnd = 2000;
constexpr std::size_t kShown = 2000;

}  // namespace

std::vector<bool> left_out_choices(const Schedule& schedule) {
  const std::vector<RecordedChoice>& choices = schedule.choices;
  const std::size_t count = choices.size();
  std::vector<bool> left_out(count);
  std::transform(choices.begin(), choices.end(), left_out.begin(),
      [](const RecordedChoice& choice) { return choice.is_left_out; });
  const bool is_known = std::find(left_out.begin(), left_out.end(), true) != left_out.end();
  // A replay finds the steps of a model by their names.
  if (is_known || count <= kVeryMany || choices[0].operation == runtime::Operation::model_step)
    return left_out;
  left_out.assign(count, true);
  // Values stay with the step in the middle of which they were chosen.
  const auto keep = [&](std::size_t begin, std::size_t end) {
    while (begin > 0 && choices[begin].is_value) --begin;
    while (end < count && choices[end].is_value) ++end;
    std::fill(left_out.begin() + static_cast<std::ptrdiff_t>(begin),
        left_out.begin() + static_cast<std::ptrdiff_t>(end), false);
  };
  keep(0, kAtEachEnd);
  keep(count - kAtEachEnd, count);
  for (const Range& range : shown_steps(schedule, kShown)) keep(range.begin, range.end);
  return left_out;
}

}  // namespace hocket
