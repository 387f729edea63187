// The parts of Execution that are not plain data. Private to the runtime.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <hocket/runtime/execution.hpp>
#include <hocket/runtime/fairness.hpp>
#include <hocket/runtime/last_steps.hpp>
#include <hocket/runtime/race_record.hpp>
#include <hocket/runtime/races.hpp>

namespace hocket::runtime {

struct Execution::Machinery {
  /// An object that was made outside the body, and its state when the search first saw it.
  struct OutsideObject {
    Object* object;  ///< nullptr: destroyed since
    void* saved;
  };

  /// The virtual clock: now() reads it, its advance writes it.
  struct Clock : Object {
    Clock();
  };

  Failure failure;
  Races races;
  RaceRecord race_record;
  Clock clock;
  Fairness fairness;
  LastSteps last_steps;
  std::vector<Candidate> candidates;  ///< the list beside the log
  std::vector<OutsideObject> outside_objects;
  std::vector<std::uint32_t> touched;  ///< outside objects touched in this execution, by place
  const std::function<void()>* body = nullptr;
  void* log_memory = nullptr;
};

}  // namespace hocket::runtime
