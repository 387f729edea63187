// What a search or a replay asks of an execution.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../objects/observer.hpp"
#include "../terms/detectors.hpp"

namespace hocket::runtime {

class Trace;

struct ExecutionOptions {
  std::uint32_t max_steps = 20'000;
  std::size_t stack_size = std::size_t{256} * 1024;  ///< bytes, for each thread
  bool spurious_wakeups = false;
  bool spurious_failures = false;
  bool fair = false;               ///< see Fairness
  bool leaves_out_unfair = false;  ///< and: what is not fair is no candidate, instead of costing something
  bool plain_steps = false;        ///< plain accesses of instrumented code are steps
  bool keeps_memory = false;       ///< instrumented code finds its memory as the last execution left it
  bool own_process = false;        ///< a child, made for this execution: its memory is as the search began
  bool notes_callers = false;      ///< see WeakerOrders; an execution of its own for each search
  Detectors detectors;             ///< what is looked for beside what cannot be passed over
  Trace* trace = nullptr;          ///< where to record names, places and values, or nullptr
  Observer* observer = nullptr;    ///< hears of every event, or nullptr
};

}  // namespace hocket::runtime
