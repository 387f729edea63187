// Which steps of a very long schedule a file has in full. Of the others it has the numbers of their choices,
// which is all that a replay needs.
#pragma once

#include <algorithm>
#include <vector>

#include "../../runtime/diagnosis/recorded_steps.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../../runtime/terms/retry_loops.hpp"
#include "schedule.hpp"

namespace hocket {

/// For each choice whether the file leaves its details out. Those of a schedule that comes from a file are
/// left out if they were there. Otherwise, of very many, the first ones, the last ones and those that a
/// reader is shown stay.
std::vector<bool> left_out_choices(const Schedule& schedule);

/// What is known of the choice with that number.
inline runtime::RecordedChoice choice_of(runtime::Code number) {
  runtime::RecordedChoice choice;
  choice.code = number % runtime::kCodeLimit;
  choice.is_value = (number & runtime::kIsValueInFiles) != 0;
  if ((number & runtime::kGivesWayInFiles) != 0) choice.part_of = runtime::kGivesWay;
  return choice;
}

/// The number of a choice that tells whether it is a value.
inline runtime::Code full_number_of(const runtime::RecordedChoice& choice) {
  return choice.code + (choice.part_of == runtime::kGivesWay ? runtime::kGivesWayInFiles : 0) +
         (choice.is_value ? runtime::kIsValueInFiles : 0);
}

inline std::vector<runtime::Code> numbers_of(const std::vector<runtime::RecordedChoice>& choices) {
  const auto gives_way = [](const auto& choice) { return choice.part_of == runtime::kGivesWay; };
  const bool any_does = std::any_of(choices.begin(), choices.end(), gives_way);
  std::vector<runtime::Code> numbers;
  numbers.reserve(choices.size());
  for (const runtime::RecordedChoice& choice : choices) {
    numbers.push_back(choice.code + (gives_way(choice) ? runtime::kGivesWayInFiles : 0) +
                      (any_does && choice.is_value ? runtime::kIsValueInFiles : 0));
  }
  return numbers;
}

}  // namespace hocket
